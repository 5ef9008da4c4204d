import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Contradiction, LinkLost, Refusal } from './errors.mjs';
import { FrameReader, toFrame } from './frames.mjs';
import { readMessage, readResult } from './shapes.mjs';

// Until hello is answered, nothing says how long a silence may be.
const SILENCE_BEFORE_HELLO_MS = 10_000;

/**
 * One connection. `onMessage` is called for each message, in order and as soon as it is there, replies included
 * (with the request they answer); `onEnd` once, when the connection is over.
 */
export class Link {
  /** Why the link is over; null while it is not. */
  failure = null;
  #socket;
  #reader = new FrameReader();
  #waiting = [];
  #ids = 0;
  #onMessage;
  #onEnd;
  #silence;

  constructor(host, port, onMessage, onEnd) {
    this.#onMessage = onMessage;
    this.#onEnd = onEnd;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.end(new LinkLost(`the link broke: ${error.message}`)));
    this.#socket.on('end', () => this.#reader.atBoundary || this.end(new Contradiction('the stream ended in a frame')));
    this.#socket.on('close', () => this.end(new LinkLost('the server closed the link')));
    this.allowSilence(SILENCE_BEFORE_HELLO_MS);
  }

  /** After so long without a frame the link is taken for dead. */
  allowSilence(ms) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.end(new LinkLost(`nothing came for ${ms} ms`)), ms);
  }

  /** The result of a request. Throws a Refusal, or what ended the link. */
  async request(type, fields = {}) {
    for (;;) {
      try {
        return await this.#send(type, fields);
      } catch (error) {
        if (error.code !== 'too-fast') throw error;
        await sleep(error.facts.wait_ms);
      }
    }
  }

  /** Ends the connection, without a word to the server. */
  end(failure) {
    if (this.failure) return;
    this.failure = failure;
    clearTimeout(this.#silence);
    this.#socket.destroy();
    for (const { reject } of this.#waiting) reject(failure);
    this.#onEnd();
  }

  #send(type, fields) {
    return new Promise((resolve, reject) => {
      if (this.failure) throw this.failure;
      const id = String(++this.#ids);
      this.#waiting.push({ id, type, fields, resolve, reject });
      this.#socket.write(toFrame({ type, id, ...fields }));
    });
  }

  #take(chunk) {
    try {
      for (const message of this.#reader.take(chunk)) {
        if (this.failure) return;
        this.#silence.refresh();
        this.#handle(message);
      }
    } catch (error) {
      this.end(error);
    }
  }

  #handle(raw) {
    const message = readMessage(raw);
    if (!message) return this.#onMessage(raw, null);
    if (message.type === 'ping') this.#socket.write(toFrame({ type: 'pong' }));
    if (message.type !== 'ok' && message.type !== 'error') return this.#onMessage(message, null);
    if (message.re === null) return this.end(new Refusal('the connection', message));

    const request = this.#waiting.shift();
    if (request?.id !== message.re) throw new Contradiction(`a reply to ${message.re} came out of order`);
    if (message.type === 'error') {
      this.#onMessage(message, request);
      return request.reject(new Refusal(request.type, message));
    }
    message.result = readResult(request.type, message.result);
    this.#onMessage(message, request);
    request.resolve(message.result);
  }
}
