import { Contradiction } from './errors.mjs';
import { checkSums, fold, isEvent, packSize } from './picture.mjs';

const CLOSES_DECISION = new Set([
  'pack-cut',
  'card-drawn',
  'card-discarded',
  'combination-called',
  'hand-ended',
  'table-closed',
]);

/**
 * What a player knows of the table: the picture, who is there, and the decision that is open, all folded from what
 * the server says. Every snapshot that comes while nothing can have been missed is compared with it.
 */
export class Table {
  picture = null;
  /** Seat -> { connected, away } */
  presence = new Map();
  decision = null;
  /** How many snapshots were found equal to what had been folded. */
  compared = 0;
  /** Whether the player has given the seat up. */
  left = false;
  /** Whether an event came that this client does not know, so that only a snapshot can help. */
  outdated = false;
  // 'deaf' until join-table or catch-up is answered, 'catching-up' until all that was missed is told, then 'live'.
  #state = 'deaf';
  // The event and the decision that catching up ends with; null where nothing says so.
  #goal = null;
  #presenceTold = new Set();
  #lastDecision = 0;
  #snapshotDue = false;

  constructor(id) {
    this.id = id;
  }

  /** Whether the picture is whole, and everything new will be told. */
  get live() {
    return this.#state === 'live';
  }

  /** The link was lost; until catch-up was answered, nothing is told. */
  interrupted() {
    this.#state = 'deaf';
    this.#snapshotDue = false;
  }

  /** A request that ends in a snapshot was answered with ok: nothing else may be told of the table before that. */
  expectSnapshot(goal = null) {
    this.#snapshotDue = true;
    this.#goal = goal;
  }

  /** Catch-up after an event was answered with ok: a snapshot comes, or what was missed and who is there. */
  expectMissed(goal) {
    this.#state = 'catching-up';
    this.#goal = goal;
    this.#presenceTold.clear();
  }

  /** Takes in a message about this table. */
  take(message) {
    if (this.left) throw new Contradiction(`${message.type} came from a table that was left`);
    if (this.#snapshotDue && message.type !== 'chat-said' && message.type !== 'snapshot') {
      throw new Contradiction(`${message.type} came where a snapshot was due`);
    }
    if (message.type === 'snapshot') this.#takeSnapshot(message);
    else if (message.type === 'decision') this.#takeDecision(message);
    else if (message.type === 'presence-changed') this.#takePresence(message);
    else if (isEvent(message)) this.#takeEvent(message);
    else if (Number.isSafeInteger(message.seq)) this.#skipEvent(message);
  }

  #takeSnapshot({ picture, presence, decision }) {
    if (picture.table !== this.id) throw new Contradiction(`a snapshot is of ${picture.table}, not of ${this.id}`);
    if (this.live && !this.outdated) {
      const folded = { picture: this.picture, presence: this.#presenceList(), decision: untimed(this.decision) };
      const told = { picture, presence, decision: untimed(decision) };
      const where = difference(folded, told);
      if (where) throw new Contradiction(`after event ${this.picture.seq} the snapshot differs: ${where}`);
      this.compared += 1;
    }
    this.#snapshotDue = false;
    this.outdated = false;
    this.picture = picture;
    this.presence = new Map(presence.map(({ seat, connected, away }) => [seat, { connected, away }]));
    this.decision = decision;
    checkSums(picture);
    this.#goOn(decision?.decision ?? null);
    if (decision) this.#checkDecision(decision);
  }

  #takeEvent(event) {
    this.#checkTold(event);
    if (event.seq !== this.picture.seq + 1) {
      throw new Contradiction(`event ${event.seq} came after event ${this.picture.seq}`);
    }
    if (this.outdated) {
      this.picture.seq = event.seq;
    } else {
      fold(this.picture, event);
      checkSums(this.picture);
    }
    if (CLOSES_DECISION.has(event.type)) this.decision = null;
    if (event.type === 'player-sat') this.presence.set(event.seat, { connected: true, away: false });
    if (event.type === 'player-left') {
      this.presence.delete(event.seat);
      this.left = event.seat === this.picture.seat;
    }
  }

  // The protocol may grow: an event of an unknown type counts as seen, and a snapshot has to bring what it did.
  #skipEvent(event) {
    this.#checkTold(event);
    if (event.seq !== this.picture.seq + 1) return;
    this.picture.seq = event.seq;
    this.outdated = true;
  }

  #takePresence({ seat, connected, away, cause }) {
    this.#checkTold({ type: 'presence-changed' });
    if (!this.outdated && !this.picture.occupants.some((occupant) => occupant.seat === seat)) {
      throw new Contradiction(`presence-changed names the empty seat ${seat}`);
    }
    this.presence.set(seat, { connected, away });
    if (this.live) return this.#checkCause(seat, cause);
    if (cause !== null) throw new Contradiction(`presence-changed after catch-up has the cause ${cause}`);
    this.#presenceTold.add(seat);
    const told = this.picture.occupants.every((occupant) => this.#presenceTold.has(occupant.seat));
    if (told && this.#goal.decision === null) this.#goOn(null);
  }

  /** Catching up has come to its end: it has to be the one that was announced. */
  #goOn(decision) {
    const { seq } = this.picture;
    if (this.#goal && (seq !== this.#goal.seq || decision !== this.#goal.decision)) {
      const { seq: lastEvent, decision: last } = this.#goal;
      throw new Contradiction(`catch-up ended at ${seq} and ${decision}, not at ${lastEvent} and ${last} as it said`);
    }
    this.#goal = null;
    this.#state = 'live';
  }

  /** Of coming and going only the others are told; that somebody is away or has acted, everybody is. */
  #checkCause(seat, cause) {
    const forOthers = ['closed', 'lost', 'dropped', 'back', 'replaced'].includes(cause);
    if (cause === null || (forOthers && seat === this.picture.seat)) {
      throw new Contradiction(`presence-changed of seat ${seat} has the cause ${cause}`);
    }
  }

  #takeDecision(decision) {
    this.#checkTold(decision);
    if (!this.live) this.#goOn(decision.decision);
    this.#checkDecision(decision);
    this.decision = decision;
  }

  #checkDecision(decision) {
    const { hand, seat } = this.picture;
    const number = decision.decision;
    const problem = (words) => {
      throw new Contradiction(`decision ${number} ${words}`);
    };
    if (number < this.#lastDecision) problem(`came after ${this.#lastDecision}`);
    if (number === this.#lastDecision && this.decision === null && this.live) problem('came again, though answered');
    this.#lastDecision = number;
    if (this.outdated) return;
    if (hand?.turn !== decision.seat || hand.phase !== decision.phase) {
      problem(`is of seat ${decision.seat} to ${decision.phase}, but it is ${hand?.turn} to ${hand?.phase}`);
    }
    const { actions } = decision;
    if ((actions !== null) !== (decision.seat === seat)) problem('gives actions to the wrong reader');
    if (actions === null) return;

    const given = Object.keys(actions).filter((key) => actions[key] !== null && actions[key].length !== 0);
    const answers = decision.phase === 'discard' ? ['discard', 'call'] : [decision.phase];
    if (!given.includes(answers[0]) || given.some((key) => !answers.includes(key))) {
      problem(`of phase ${decision.phase} has actions of ${given}`);
    }
    const { rules } = this.picture;
    if (actions.cut && (actions.cut.minimum !== 1 || actions.cut.maximum !== packSize(rules) - 1)) {
      problem(`lets the pack be cut from ${actions.cut.minimum} to ${actions.cut.maximum}`);
    }
    if (decision.phase === 'draw') {
      const piles = hand.discards.length > 0 ? ['stock', 'discards'] : ['stock'];
      if (hand.stock === 0) problem('has no stock to draw from');
      if ([...actions.draw].sort().join() !== piles.sort().join()) problem(`offers to draw from ${actions.draw}`);
    }
    const inHand = (cards) => new Set(cards).size === cards.length && cards.every((card) => hand.own.includes(card));
    const kept = hand.taken ? 1 : 0;
    if (decision.phase === 'discard') {
      const { discard } = actions;
      const all = inHand(discard) && discard.length === hand.own.length - kept;
      if (!all || (kept && discard.includes(hand.drawn))) problem(`offers the wrong discards: ${discard}`);
    }
    for (const { cards, discard } of actions.call) {
      const all = discard === null ? cards : [...cards, discard];
      if (all.length !== hand.own.length || !inHand(all)) problem(`offers a call that is not the hand: ${all}`);
    }
  }

  #checkTold({ type }) {
    if (this.#state === 'deaf') throw new Contradiction(`${type} came before catch-up was answered`);
  }

  #presenceList() {
    return [...this.presence].sort(([a], [b]) => a - b).map(([seat, states]) => ({ seat, ...states }));
  }
}

// Time runs on between two tellings of the same decision.
function untimed(decision) {
  if (decision === null) return null;
  const { time_ms: _, ...rest } = decision;
  return rest;
}

/** Where two values differ first, in words; null if they are equal. */
function difference(folded, told, where = '') {
  if (folded === told) return null;
  const maps = [folded, told].every((value) => typeof value === 'object' && value !== null);
  if (!maps) return `${where} is folded to ${JSON.stringify(folded)}, but told as ${JSON.stringify(told)}`;
  for (const key of new Set([...Object.keys(folded), ...Object.keys(told)])) {
    const found = difference(folded[key], told[key], where ? `${where}.${key}` : key);
    if (found) return found;
  }
  return null;
}
