import { BridgeError } from '../../errors/bridge-error.ts';

/** Deeper JSON is refused (contract.md 8). */
export const MAX_JSON_DEPTH = 64;

// A valid request has some hundred. Names are the dearest to parse and to refuse: 45,000 of them took 100 ms.
const MAX_PARTS = 5000;

// Each is a search of its own: 4 ms. The longest prompt has some 12,000.
const MAX_BACKSLASHES = 100_000;

// Each of them is looked at on the main thread: 4 ms. A valid request has some kilobytes beside its strings.
const MAX_OUTSIDE_BYTES = 1024 * 1024;

// Errors and replies repeat names. The longest that a valid request may have is 128 bytes, each perhaps escaped.
const MAX_NAME_BYTES = 1024;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Checks the structure of a JSON text before it is parsed. Strings, which hold nearly all bytes of a request, are skipped
 * natively. Throws `malformed_request` when it is nested too deeply or has too many parts, a name that is too long, too many
 * backslashes before quotes, or too much that is not in strings.
 */
export function checkJsonStructure(text: Buffer): void {
  const addPart = counter(MAX_PARTS, 'parts (members, items, lists, objects)');
  const addBackslash = counter(MAX_BACKSLASHES, 'backslashes before quotes');
  const addOutsideByte = counter(MAX_OUTSIDE_BYTES, 'bytes outside of strings');
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    addOutsideByte();
    switch (text[at]) {
      case QUOTE: {
        const open = at;
        at = endOfString(text, open, addBackslash);
        if (at - open > MAX_NAME_BYTES && isName(text, at)) {
          throw malformed(`has a name of more than ${MAX_NAME_BYTES} bytes`);
        }
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        addPart();
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        addPart();
        break;
      default:
    }
    if (depth > MAX_JSON_DEPTH) throw malformed(`is nested deeper than ${MAX_JSON_DEPTH}`);
  }
}

/** True if the string that ends at `close` is the name of a member. */
function isName(text: Buffer, close: number): boolean {
  let next = close + 1;
  while (isSpace(text[next])) next += 1;
  return text[next] === COLON;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** The index of the closing quote, or the end of the text when there is none. */
function endOfString(text: Buffer, open: number, onBackslash: () => void): number {
  let close = text.indexOf(QUOTE, open + 1);
  while (close !== -1) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === BACKSLASH) {
      backslashes += 1;
      onBackslash();
    }
    // An even number of them are escaped themselves.
    if (backslashes % 2 === 0) return close;
    close = text.indexOf(QUOTE, close + 1);
  }
  return text.length;
}

/** Counts one at each call. */
function counter(max: number, what: string): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > max) throw malformed(`has more than ${max} ${what}`);
  };
}

function malformed(what: string): BridgeError {
  return new BridgeError('malformed_request', `the JSON ${what}`);
}
