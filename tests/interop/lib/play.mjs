/**
 * The answer to a decision: the type of the request, and its fields beside `table` and `decision`. It keeps what
 * makes sets, wild cards first, and calls the best combination as soon as there is one.
 */
export function answer({ actions }, hand) {
  if (actions.cut) {
    return ['cut', { position: Math.floor((actions.cut.minimum + actions.cut.maximum) / 2) }];
  }
  if (actions.draw.length > 0) {
    const top = hand.discards.at(-1);
    // Of a card that lies face down nothing is known, so that it is as good as one from the stock.
    if (!actions.draw.includes('discards') || top === null) return ['draw', { source: oneOf(actions.draw) }];
    const wanted = worth(top, hand) >= PAIR ? 'discards' : 'stock';
    return ['draw', { source: actions.draw.includes(wanted) ? wanted : actions.draw[0] }];
  }
  if (actions.call.length > 0) return ['call', { cards: actions.call[0].cards }];

  const worths = actions.discard.map((card) => worth(card, hand));
  const worst = actions.discard.filter((_, index) => worths[index] === Math.min(...worths));
  // One at random: who always lays off the same place may never get anywhere.
  return ['discard', { card: oneOf(worst) }];
}

const PAIR = 4;
const WILD = 100;
const RANKS = '23456789TJQKA';

const oneOf = (list) => list[Math.floor(Math.random() * list.length)];

/** How much a card does for the other cards in hand. */
function worth(card, { own, wild }) {
  if (wild.includes(card)) return WILD;
  let sum = 0;
  for (const other of own) {
    if (other === card || wild.includes(other)) continue;
    if (other[0] === card[0]) sum += PAIR;
    else if (other[1] === card[1] && Math.abs(RANKS.indexOf(other[0]) - RANKS.indexOf(card[0])) <= 4) sum += 1;
  }
  return sum;
}
