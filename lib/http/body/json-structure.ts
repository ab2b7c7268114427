import { BridgeError } from '../../errors/bridge-error.ts';

/** Deeper JSON is refused (contract.md 8). */
export const MAX_JSON_DEPTH = 64;

// A valid request has some hundred. Without a limit a body of brackets would become gigabytes of arrays.
const MAX_JSON_PARTS = 100_000;

// Each of them is looked at on the main thread: 4 ms. A valid request has some kilobytes beside its strings.
const MAX_OUTSIDE_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Checks the structure of a JSON text before it is parsed. Strings, which hold nearly all bytes of a request, are skipped
 * natively; their escaped quotes count as parts. Throws `malformed_request` when it is nested too deeply or has too many
 * parts, or too much that is not in strings.
 */
export function checkJsonStructure(text: Buffer): void {
  let depth = 0;
  let parts = 0;
  let outsideBytes = 0;
  const addPart = () => {
    parts += 1;
    if (parts > MAX_JSON_PARTS) throw malformed(`too large: more than ${MAX_JSON_PARTS} parts`);
  };
  for (let at = 0; at < text.length; at++) {
    outsideBytes += 1;
    if (outsideBytes > MAX_OUTSIDE_BYTES) {
      throw malformed(`too large: more than ${MAX_OUTSIDE_BYTES} bytes outside of strings`);
    }
    switch (text[at]) {
      case QUOTE:
        at = endOfString(text, at, addPart);
        break;
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
    if (depth > MAX_JSON_DEPTH) throw malformed(`nested deeper than ${MAX_JSON_DEPTH}`);
  }
}

/** The index of the closing quote, or the end of the text when there is none. */
function endOfString(text: Buffer, open: number, onEscapedQuote: () => void): number {
  let close = text.indexOf(QUOTE, open + 1);
  while (close !== -1 && isEscaped(text, close)) {
    onEscapedQuote();
    close = text.indexOf(QUOTE, close + 1);
  }
  return close === -1 ? text.length : close;
}

function isEscaped(text: Buffer, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

function malformed(what: string): BridgeError {
  return new BridgeError('malformed_request', `the JSON is ${what}`);
}
