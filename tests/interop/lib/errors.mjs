/** The server did something that the protocol document rules out. */
export class Contradiction extends Error {}

/** The link is gone. Unless that is final, the player may come back on another one. */
export class LinkLost extends Error {
  constructor(message, { final = false } = {}) {
    super(message);
    this.final = final;
  }
}

/** The server refused a request, as the document allows it to. */
export class Refusal extends Error {
  constructor(request, { code, facts }) {
    super(`${request} was refused: ${code} ${JSON.stringify(facts)}`);
    this.code = code;
    this.facts = facts;
  }
}
