import { decode, encode } from '@msgpack/msgpack';
import { Contradiction } from './errors.mjs';

const MAX_FRAME = 65_536;
const MAX_ELEMENTS = 1_024;
const MAX_DEPTH = 8;

// Nothing of the sizes that a frame declares is believed before it is checked.
const DECODING = {
  maxStrLength: MAX_FRAME,
  maxBinLength: 0,
  maxExtLength: 0,
  maxArrayLength: MAX_ELEMENTS,
  maxMapLength: MAX_ELEMENTS,
};

/** A message as the bytes that go over the wire. Fields that are undefined are left out. */
export function toFrame(message) {
  const body = encode(message, { ignoreUndefined: true });
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** Puts the frames of a stream together again, however the stream was cut. */
export class FrameReader {
  #rest = Buffer.alloc(0);

  /** Yields the messages that are complete with this chunk. */
  *take(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 4) {
      const length = this.#rest.readUInt32BE();
      if (length < 1 || length > MAX_FRAME) throw new Contradiction(`a frame has a length of ${length}`);
      if (this.#rest.length < 4 + length) return;
      const body = this.#rest.subarray(4, 4 + length);
      this.#rest = this.#rest.subarray(4 + length);
      yield toMessage(body);
    }
  }

  /** Whether the stream stands between two frames. */
  get atBoundary() {
    return this.#rest.length === 0;
  }
}

function toMessage(body) {
  let message;
  try {
    message = decode(body, DECODING);
  } catch (error) {
    throw new Contradiction(`a frame is not one value of MessagePack: ${error.message}`);
  }
  checkValue(message, 1);
  if (!isMap(message) || typeof message.type !== 'string') {
    throw new Contradiction(`a frame is no map with a type: ${JSON.stringify(message)}`);
  }
  return message;
}

function checkValue(value, depth) {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return;
  if (Number.isSafeInteger(value)) return;
  if (!Array.isArray(value) && !isMap(value)) throw new Contradiction(`a frame holds ${value}, which no message may`);
  if (depth > MAX_DEPTH) throw new Contradiction('a frame is nested too deep');
  for (const inner of Object.values(value)) checkValue(inner, depth + 1);
}

function isMap(value) {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
