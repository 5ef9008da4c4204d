import { Contradiction } from './errors.mjs';

// A shape is a function of a value and the place where it was found. It returns the value without the fields that
// the document does not know, because a later server may send more; and it throws if anything listed is missing.

const simple = (name, test) => (value, where) => {
  if (test(value)) return value;
  throw new Contradiction(`${where} is ${JSON.stringify(value)}, which is no ${name}`);
};
const orNull = (shape) => (value, where) => (value === null ? null : shape(value, where));
const list = (shape) => (value, where) =>
  simple('list', Array.isArray)(value, where).map((inner, index) => shape(inner, `${where}[${index}]`));
const map = (fields) => (value, where) => {
  simple('map', (v) => typeof v === 'object' && v !== null && !Array.isArray(v))(value, where);
  return Object.fromEntries(
    Object.entries(fields).map(([name, shape]) => {
      if (!Object.hasOwn(value, name)) throw new Contradiction(`${where} has no field ${name}`);
      return [name, shape(value[name], `${where}.${name}`)];
    }),
  );
};
const word = (...words) => simple(`word of ${words.join(', ')}`, (v) => words.includes(v));

const any = (value) => value;
const string = simple('string', (v) => typeof v === 'string');
const id = simple('id', (v) => typeof v === 'string' && v.length >= 1 && v.length <= 64);
const boolean = simple('boolean', (v) => typeof v === 'boolean');
const integer = simple('integer', Number.isSafeInteger);
const natural = simple('integer from 0 on', (v) => Number.isSafeInteger(v) && v >= 0);
const seat = natural;
const card = simple('card', (v) => typeof v === 'string' && /^([2-9TJQKA][cdhs]|X[12])$/.test(v));
const rank = simple('rank', (v) => typeof v === 'string' && /^[2-9TJQKAX]$/.test(v));

const source = word('stock', 'discards');
const by = word('player', 'house');
const combination = word('five-of-a-kind', 'royal-flush', 'straight-flush', 'four-two', 'three-three', 'paiute');
const outcome = word('won', 'split', 'washed', 'void');

const account = map({ player: id, name: string, balance: integer });
const paid = map({ seat, amount: integer });
const rules = map({
  wild_rule: word('turned-rank', 'opposite-colour', 'jokers'),
  opening_discard: boolean,
  closed_discards: boolean,
  first_call_round: natural,
  round_limit: orNull(natural),
  last_turns: word('to-closer', 'one-more-each'),
  paiute_turns: word('auto', 'first-turn', 'first-two-turns', 'any-turn'),
  royal_on_top: boolean,
  ties: word('split', 'first-caller'),
  payment: word('pot', 'scale'),
  stake: natural,
  large_table: boolean,
  house_deals: boolean,
});
const hand = map({
  hand: natural,
  phase: word('cut', 'draw', 'discard', 'over'),
  players: list(map({ seat, player: id, cards: natural, known: list(card), turns: natural, left: boolean })),
  dealer: orNull(seat),
  cutter: seat,
  turn: orNull(seat),
  round: natural,
  turned: orNull(card),
  wild: list(card),
  stock: natural,
  discards: list(orNull(card)),
  taken: boolean,
  drawn: orNull(card),
  own: list(card),
  calls: list(map({ seat, cards: list(card), combination, ranks: list(rank), turn: natural })),
  result: orNull(map({ outcome, winners: list(seat), payments: list(paid) })),
});
const picture = map({
  table: id,
  seq: natural,
  seat: orNull(seat),
  name: string,
  rules,
  seats: natural,
  time_limit_ms: orNull(natural),
  occupants: list(map({ seat, player: id, name: string, bot: boolean })),
  accounts: list(account),
  pot: integer,
  hands: natural,
  closed: boolean,
  hand: orNull(hand),
});
const actions = map({
  cut: orNull(map({ minimum: natural, maximum: natural })),
  draw: list(source),
  discard: list(card),
  call: list(map({ cards: list(card), discard: orNull(card), combination, ranks: list(rank) })),
});
const decision = {
  table: id,
  decision: natural,
  seat,
  phase: word('cut', 'draw', 'discard'),
  time_ms: orNull(natural),
  actions: orNull(actions),
};
const chat = { table: orNull(id), player: id, name: string, text: string };
const row = map({
  table: id,
  name: string,
  rules,
  seats: natural,
  players: list(string),
  bots: natural,
  going_on: boolean,
  time_limit_ms: orNull(natural),
});

const EVENTS = {
  'player-sat': { seat, player: id, name: string, bot: boolean },
  'player-left': { seat, player: id, reason: string },
  'hand-started': {
    hand: natural,
    order: list(seat),
    dealer: orNull(seat),
    cutter: seat,
    paid: natural,
    pot: integer,
  },
  'pack-cut': { seat, position: natural, by },
  'hand-dealt': {
    cards: orNull(list(card)),
    turned: orNull(card),
    wild: list(card),
    opening_discard: orNull(card),
    stock: natural,
    next: seat,
  },
  'card-drawn': { seat, source, card: orNull(card), stock: natural, by },
  'card-discarded': { seat, card: orNull(card), by, next: orNull(seat), round: natural },
  'combination-called': {
    seat,
    cards: list(card),
    discard: orNull(card),
    combination,
    ranks: list(rank),
    turn: natural,
    next: orNull(seat),
    round: natural,
  },
  'stock-reshuffled': { stock: natural },
  'hand-ended': { outcome, winners: list(seat), payments: list(paid), pot: integer },
  'table-closed': { shares: list(map({ player: id, amount: integer })), reason: string },
};

const MESSAGES = {
  ok: { re: id, result: any },
  error: { re: orNull(id), code: string, facts: any },
  decision,
  snapshot: {
    picture,
    presence: list(map({ seat, connected: boolean, away: boolean })),
    chat: list(map({ type: word('chat-said'), ...chat })),
    decision: orNull(map({ type: word('decision'), ...decision })),
  },
  'presence-changed': { table: id, seat, connected: boolean, away: boolean, cause: orNull(string) },
  'chat-said': chat,
  'lobby-changed': { tables: list(row), gone: list(id) },
  ping: {},
  replaced: {},
  closing: { restart: boolean },
};
for (const [type, fields] of Object.entries(EVENTS)) MESSAGES[type] = { table: id, seq: natural, ...fields };

const RESULTS = {
  hello: map({
    version: word(1),
    server: id,
    software: string,
    capabilities: list(string),
    limits: map({
      max_frame: natural,
      max_name: natural,
      max_chat: natural,
      max_page: natural,
      ping_after_ms: natural,
      lost_after_ms: natural,
      token_life_ms: natural,
      requests_per_second: natural,
      request_burst: natural,
    }),
    player: id,
    name: string,
    token: id,
    table: orNull(id),
    seat: orNull(seat),
  }),
  'list-tables': map({ tables: list(row), next: orNull(id) }),
  'create-table': map({ table: id }),
  'join-table': map({ table: id, seat }),
  'catch-up': map({ seq: natural, decision: orNull(natural) }),
  'get-accounts': map({ accounts: list(account), payments: list(map({ payer: id, payee: id, amount: natural })) }),
};

/** The message as the document knows it; null if it knows no such type. */
export function readMessage(message) {
  const fields = MESSAGES[message.type];
  return fields ? { type: message.type, ...map(fields)(message, message.type) } : null;
}

/** The result of a request, likewise. */
export function readResult(request, result) {
  const shape = RESULTS[request] ?? simple('null', (v) => v === null);
  return shape(result, `the result of ${request}`);
}
