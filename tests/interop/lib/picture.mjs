import { Contradiction } from './errors.mjs';

const MAX_ACCOUNTS = 250;

/** Takes an event into the picture, which is changed. The event is the one that follows the picture's `seq`. */
export function fold(picture, event) {
  FOLDS[event.type](picture, event);
  picture.seq = event.seq;
}

const FOLDS = {
  'player-sat'(picture, { seat, player, name, bot }) {
    const known = picture.accounts.find((account) => account.player === player);
    if (known) {
      known.name = name;
    } else {
      if (picture.accounts.length >= MAX_ACCOUNTS) dropEvenAccounts(picture);
      picture.accounts.push({ player, name, balance: 0 });
    }
    picture.occupants.push({ seat, player, name, bot });
    picture.occupants.sort((a, b) => a.seat - b.seat);
  },

  'player-left'(picture, { seat }) {
    picture.occupants = picture.occupants.filter((occupant) => occupant.seat !== seat);
    const player = picture.hand?.players.find((one) => one.seat === seat);
    if (player) player.left = true;
  },

  'hand-started'(picture, { hand, order, dealer, cutter, paid, pot }) {
    const players = order.map((seat) => ({
      seat,
      player: find(picture.occupants, 'seat', seat).player,
      cards: 0,
      known: [],
      turns: 0,
      left: false,
    }));
    for (const { player } of players) find(picture.accounts, 'player', player).balance -= paid;
    picture.pot = pot;
    picture.hands = hand;
    picture.hand = {
      hand,
      phase: 'cut',
      players,
      dealer,
      cutter,
      turn: cutter,
      round: 0,
      turned: null,
      wild: [],
      stock: 0,
      discards: [],
      taken: false,
      drawn: null,
      own: [],
      calls: [],
      result: null,
    };
  },

  'pack-cut'() {},

  'hand-dealt'({ hand }, { cards, turned, wild, opening_discard: opening, stock, next }) {
    for (const player of hand.players) player.cards = 5;
    Object.assign(hand, { own: cards ?? [], turned, wild, stock, discards: opening === null ? [] : [opening] });
    nextTurn(hand, next, 1);
  },

  'card-drawn'({ hand, seat: mine }, { seat, source, card, stock }) {
    const player = find(hand.players, 'seat', seat);
    player.cards += 1;
    player.turns += 1;
    hand.stock = stock;
    hand.phase = 'discard';
    hand.taken = source === 'discards';
    // A card taken face down is known to who remembers having laid it there.
    hand.drawn = hand.taken ? (card ?? hand.discards.at(-1)) : card;
    if (hand.taken) hand.discards.pop();
    if (hand.drawn !== null) (seat === mine ? hand.own : player.known).push(hand.drawn);
  },

  'card-discarded'({ hand, seat: mine }, { seat, card, next, round }) {
    layOff(hand, mine, seat, card);
    nextTurn(hand, next, round);
  },

  'combination-called'({ hand, seat: mine }, { seat, cards, discard, combination, ranks, turn, next, round }) {
    const player = find(hand.players, 'seat', seat);
    if (player.cards > cards.length) layOff(hand, mine, seat, discard);
    player.cards = 0;
    player.known = [];
    if (seat === mine) hand.own = [];
    hand.calls.push({ seat, cards, combination, ranks, turn });
    nextTurn(hand, next, round);
  },

  'stock-reshuffled'({ hand }, { stock }) {
    hand.discards = hand.discards.slice(-1);
    hand.stock = stock;
  },

  'hand-ended'(picture, { outcome, winners, payments, pot }) {
    const { hand } = picture;
    const paid = payments.map(({ seat }) => seat).join();
    const dealtIn = hand.players.map(({ seat }) => seat).join();
    if (paid !== dealtIn) throw new Contradiction(`hand-ended pays the seats ${paid}, but dealt in were ${dealtIn}`);
    nextTurn(hand, null, hand.round);
    hand.result = { outcome, winners, payments };
    for (const { seat, amount } of payments) {
      find(picture.accounts, 'player', find(hand.players, 'seat', seat).player).balance += amount;
    }
    picture.pot = pot;
  },

  'table-closed'(picture, { shares }) {
    for (const { player, amount } of shares) find(picture.accounts, 'player', player).balance += amount;
    picture.pot = 0;
    picture.closed = true;
  },
};

export const isEvent = (message) => Object.hasOwn(FOLDS, message.type);

export const packSize = (rules) => (rules.wild_rule === 'jokers' ? 54 : 52);

function nextTurn(hand, seat, round) {
  Object.assign(hand, { phase: seat === null ? 'over' : 'draw', turn: seat, round, taken: false, drawn: null });
}

function layOff(hand, mine, seat, card) {
  const player = find(hand.players, 'seat', seat);
  hand.discards.push(card);
  player.cards -= 1;
  if (seat === mine) hand.own = hand.own.filter((held) => held !== card);
  else if (card !== null) player.known = player.known.filter((held) => held !== card);
  // Any card may lie there now but the one that was taken from the discards on this turn.
  else player.known = player.known.filter((held) => held === hand.drawn);
}

function dropEvenAccounts(picture) {
  const present = new Set([...picture.occupants, ...(picture.hand?.players ?? [])].map(({ player }) => player));
  picture.accounts = picture.accounts.filter(({ player, balance }) => balance !== 0 || present.has(player));
}

function find(entries, key, value) {
  const found = entries.find((entry) => entry[key] === value);
  if (!found) throw new Contradiction(`an event names the ${key} ${value}, which the picture does not have`);
  return found;
}

/** Throws unless the money of the table and the cards of its hand are all there, and none is there twice. */
export function checkSums(picture) {
  const money = picture.accounts.reduce((sum, { balance }) => sum + balance, picture.pot);
  if (money !== 0) throw new Contradiction(`balances and pot sum to ${money} after event ${picture.seq}`);

  const { hand } = picture;
  if (!hand || hand.round === 0) return;
  const count = (entries, size) => entries.reduce((sum, entry) => sum + size(entry), 0);
  const pack = packSize(picture.rules);
  const cards =
    hand.stock +
    hand.discards.length +
    (hand.turned === null ? 0 : 1) +
    count(hand.players, (player) => player.cards) +
    count(hand.calls, (call) => call.cards.length);
  if (cards !== pack) throw new Contradiction(`there are ${cards} cards, not ${pack}, after event ${picture.seq}`);

  const seen = [
    ...(hand.turned === null ? [] : [hand.turned]),
    ...hand.discards.filter((card) => card !== null),
    ...hand.own,
    ...hand.players.flatMap((player) => player.known),
    ...hand.calls.flatMap((call) => call.cards),
  ];
  const twice = seen.find((card, index) => seen.indexOf(card) !== index);
  if (twice) throw new Contradiction(`the card ${twice} is at two places after event ${picture.seq}`);

  const me = hand.players.find((player) => player.seat === picture.seat);
  if (me && hand.own.length > 0 && hand.own.length !== me.cards) {
    throw new Contradiction(`the own cards are ${hand.own.length}, but counted as ${me.cards}`);
  }
}
