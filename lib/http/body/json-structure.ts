import { BridgeError } from '../../errors/bridge-error.ts';

/** The maximum nesting depth of JSON. */
const MAX_JSON_DEPTH = 64;

// A valid request has a few hundred parts. Names take the most time to parse and reject: 45,000 names took 100 ms.
const MAX_PARTS = 5000;

// Each backslash before a quote starts a new search. The searches take 4 ms at this limit. The longest prompt has about 12,000
// backslashes.
const MAX_BACKSLASHES = 100_000;

// Each byte outside strings is read on the main thread, which takes 4 ms at this limit. A valid request has only a few thousand
// bytes outside strings.
const MAX_OUTSIDE_BYTES = 1024 * 1024;

// Names are limited because errors and replies repeat names. The longest name of a valid request has 128 bytes, each of which may
// be escaped.
const MAX_NAME_BYTES = 1024;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Checks a JSON text before it is parsed. Throws `malformed_request` if the text exceeds a limit of this file. Strings, which
 * contain most of a request, are skipped by a native search.
 */
export function checkJsonStructure(text: Buffer): void {
  const addPart = counter(MAX_PARTS, 'parts (members, items, lists, objects)');
  const addBackslash = counter(MAX_BACKSLASHES, 'backslashes before quotes');
  const addOutsideByte = counter(MAX_OUTSIDE_BYTES, 'bytes outside strings');
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

/** Returns true if the string that ends at `close` is the name of a member. */
function isName(text: Buffer, close: number): boolean {
  let next = close + 1;
  while (isSpace(text[next])) next += 1;
  return text[next] === COLON;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Returns the index of the closing quote, or the length of the text if the closing quote is missing. */
function endOfString(text: Buffer, open: number, onBackslash: () => void): number {
  let close = text.indexOf(QUOTE, open + 1);
  while (close !== -1) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === BACKSLASH) {
      backslashes += 1;
      onBackslash();
    }
    // An even number of backslashes escape each other, not the quote.
    if (backslashes % 2 === 0) return close;
    close = text.indexOf(QUOTE, close + 1);
  }
  return text.length;
}

/** Returns a function that counts its calls and throws above `max`. */
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
