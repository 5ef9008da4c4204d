import { setTimeout as sleep } from 'node:timers/promises';
import { Contradiction, LinkLost, Refusal } from './errors.mjs';
import { isEvent } from './picture.mjs';
import { Link } from './link.mjs';
import { answer } from './play.mjs';
import { Table } from './table.mjs';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const MOST_FAILURES = 8;
const MOST_NAMES = 9;

/** Somebody who sits down at a table, plays whole hands and checks all that the server says. */
export class Player {
  #options;
  #say;
  #link = null;
  #table = null;
  #greeting = null;
  #wake = () => {};
  #handsPlayed = 0;
  #lastHand = 0;
  #ended = [];
  #leaving = false;
  #answered = 0;
  #eventsOfHand = 0;
  #startRefused = -1;

  /** `say` is called with each line that a person may want to read. */
  constructor(options, say) {
    this.#options = options;
    this.#say = say;
  }

  async run() {
    let failures = 0;
    for (;;) {
      try {
        await this.#connect();
        failures = 0;
        await this.#play();
        return this.#link.end(new LinkLost('done'));
      } catch (error) {
        this.#link.end(error);
        const hopeless = !(error instanceof LinkLost) || error.final || !this.#greeting;
        if (hopeless || ++failures > MOST_FAILURES) throw error;
        this.#say(`${error.message}; coming back`);
        this.#table?.interrupted();
        // Never the same pause, or all who lost the same server would come back at once.
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
        await sleep(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  async #connect() {
    const { host, port, name } = this.#options;
    this.#link = new Link(
      host,
      port,
      (message, request) => this.#take(message, request),
      () => this.#wake(),
    );
    const back = this.#greeting;
    const greeting = await (back ? this.#hello({ token: back.token }) : this.#introduce(name));
    if (back && ['server', 'player', 'name', 'token'].some((key) => greeting[key] !== back[key])) {
      throw new Contradiction('hello with the token made another player');
    }
    this.#greeting = greeting;
    this.#link.allowSilence(greeting.limits.lost_after_ms);

    this.#answered = 0;
    // A request that got no reply when the link was lost, to sit down or to leave, may have been carried out or not.
    const { table } = greeting;
    const seated = this.#table?.picture;
    if (table === null && this.#leaving) this.#table.left = true;
    else if (seated && table !== seated.table) throw new Contradiction(`the player sits at ${table} now`);
    else if (table === null) await this.#sitDown();
    else await this.#catchUp(table);
  }

  #hello(identity) {
    return this.#request('hello', { versions: [1], client: 'interop-player 1', ...identity });
  }

  /** Becomes a new player. The name of one that has just ended is still in use, so a number may have to be added. */
  async #introduce(name) {
    for (let number = 1; ; number += 1) {
      try {
        return await this.#hello({ name: number === 1 ? name : `${name} ${number}`, bot: true });
      } catch (error) {
        if (error.code !== 'name-taken' || number === MOST_NAMES) throw error;
      }
    }
  }

  async #sitDown() {
    const { table: name } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const id = (name && (await this.#findTable(name))) ?? (await this.#openTable());
        this.#table = new Table(id);
        const { table, seat } = await this.#request('join-table', { table: id });
        await this.#until(() => this.#table.live);
        const { picture } = this.#table;
        if (table !== id || picture.seat !== seat) throw new Contradiction('join-table and its snapshot differ');
        this.#say(`${this.#greeting.name} sits at ${picture.name}, seat ${seat}`);
        return;
      } catch (error) {
        this.#table = null;
        // Others may close the table between two requests.
        const passing = name && ['no-such-table', 'table-closed'].includes(error.code);
        if (!passing || attempt === 3) throw error;
      }
    }
  }

  async #findTable(name) {
    const wanted = name.normalize('NFKC').trim().replace(/\s+/g, ' ');
    for (let after = null; ; ) {
      const page = await this.#request('list-tables', { after });
      const found = page.tables.find((row) => row.name === wanted);
      if (found) return found.table;
      after = page.next;
      if (after === null) return null;
    }
  }

  async #openTable() {
    const { table: name, rules, switches } = this.#options;
    try {
      return (await this.#request('create-table', { name, rule_set: rules, switches })).table;
    } catch (error) {
      // Somebody else has just opened it.
      if (error.code === 'name-taken' && error.facts.table) return error.facts.table;
      throw error;
    }
  }

  async #catchUp(id) {
    this.#table ??= new Table(id);
    await this.#request('catch-up', { table: id, seq: this.#table.picture?.seq ?? null });
    await this.#until(() => this.#table.live);
    await this.#compare();
  }

  /** Asks for a snapshot, which the table compares with what was folded. */
  async #compare() {
    const { compared, outdated } = this.#table;
    await this.#request('catch-up', { table: this.#table.id, seq: null });
    await this.#until(() => this.#table.compared > compared || (outdated && !this.#table.outdated));
  }

  async #play() {
    const { hands, start } = this.#options;
    while (this.#handsPlayed < hands) {
      const { picture, decision } = this.#table;
      if (picture.closed || this.#table.left) throw new Contradiction('the seat is gone, though it was not given up');
      const going = picture.hand !== null && picture.hand.phase !== 'over';
      if (this.#table.outdated) {
        await this.#compare();
      } else if (this.#ended.length > 0) {
        await this.#endHand(this.#ended[0]);
      } else if (decision?.actions && decision.decision !== this.#answered) {
        await this.#answer(decision);
      } else if (!going && start && picture.occupants.length >= 2 && this.#startRefused !== picture.seq) {
        await this.#startHand();
      } else {
        await this.#news();
      }
    }
    this.#leaving = true;
    if (!this.#table.left) await this.#request('leave-table', { table: this.#table.id });
    if (!this.#table.left) throw new Contradiction('leave-table was answered before the own player-left');
  }

  async #answer(decision) {
    this.#answered = decision.decision;
    const [type, fields] = answer(decision, this.#table.picture.hand);
    try {
      await this.#request(type, { table: this.#table.id, decision: decision.decision, ...fields });
    } catch (error) {
      // The time may have run out; anything else that was listed has to be accepted.
      if (error.code === 'stale-decision' && this.#table.decision !== decision) return;
      if (!(error instanceof Refusal) || this.#link.failure) throw error;
      throw new Contradiction(`a listed answer was refused: ${error.message}`);
    }
    if (this.#table.decision?.decision === decision.decision) {
      throw new Contradiction(`${type} was answered with ok before it was told`);
    }
  }

  async #endHand({ hand, result }) {
    await this.#compare();
    await this.#checkAccounts();
    this.#ended.shift();
    this.#handsPlayed += 1;
    const { accounts, pot } = this.#table.picture;
    const balances = accounts.map(({ name, balance }) => `${name} ${balance}`).join(', ');
    this.#say(`hand ${hand} ${result.outcome}: ${balances}, pot ${pot}`);
  }

  async #checkAccounts() {
    const { accounts, payments } = await this.#request('get-accounts', { table: this.#table.id });
    const due = new Map(accounts.map(({ player, balance }) => [player, balance]));
    if ([...due.values()].reduce((sum, balance) => sum + balance, 0) !== 0) {
      throw new Contradiction('the balances of get-accounts do not sum to zero');
    }
    for (const { payer, payee, amount } of payments) {
      due.set(payer, due.get(payer) + amount);
      due.set(payee, due.get(payee) - amount);
    }
    if ([...due.values()].some((balance) => balance !== 0)) {
      throw new Contradiction('the payments of get-accounts do not make all even');
    }
  }

  async #startHand() {
    try {
      await this.#request('start-hand', { table: this.#table.id });
    } catch (error) {
      // Somebody else was faster, or has left.
      if (error.code !== 'hand-going-on' && error.code !== 'too-few-players') throw error;
      this.#startRefused = this.#table.picture.seq;
    }
  }

  #take(message, request) {
    const table = this.#table;
    if (message.type === 'replaced') throw new LinkLost('the token is used elsewhere', { final: true });
    if (message.type === 'closing') throw new LinkLost('the server ends', { final: !message.restart });
    if (message.type === 'ok' && request.type === 'join-table') table.expectSnapshot();
    // At once, as what follows may close the decision again.
    if (message.type === 'ok' && request.type === 'start-hand' && table.decision === null) {
      throw new Contradiction('start-hand was answered before it was told');
    }
    if (message.type === 'ok' && request.type === 'catch-up') {
      if (request.fields.seq === null) table.expectSnapshot(message.result);
      else table.expectMissed(message.result);
    }
    if (message.type === 'snapshot' || (table && message.table === table.id)) table.take(message);
    this.#noteEnd();
    this.#wake();

    if (message.type === 'hand-started') this.#eventsOfHand = 0;
    if (isEvent(message) && ++this.#eventsOfHand === this.#options.cutAfter) {
      this.#link.end(new LinkLost(`the link is cut after event ${message.seq}`));
    }
  }

  /** Remembers a hand that is over. More may end, or the next one begin, before it can be looked at. */
  #noteEnd() {
    const hand = this.#table?.picture?.hand;
    if (!hand?.result || hand.hand <= this.#lastHand) return;
    this.#lastHand = hand.hand;
    if (hand.players.some(({ player }) => player === this.#greeting.player)) this.#ended.push(hand);
  }

  #request(type, fields) {
    return this.#link.request(type, fields);
  }

  /** Waits for the next message. */
  #news() {
    if (this.#link.failure) throw this.#link.failure;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #until(condition) {
    while (!condition()) await this.#news();
    if (this.#link.failure) throw this.#link.failure;
  }
}
