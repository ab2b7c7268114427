import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { createPartReader } from '../../lib/http/body/multipart.ts';
import { checkChunks, chunksOf, type Fuzzer, type Input } from './fuzzer.ts';
import { withinStretch } from './stretches.ts';

/** The boundary of all files of the corpus. */
const BOUNDARY = 'boundary-of-the-corpus';

/** Splits forms into their parts while they arrive. */
export const multipart: Fuzzer = {
  name: 'multipart',
  tokens: [
    `--${BOUNDARY}`,
    `\r\n--${BOUNDARY}\r\n`,
    `\r\n--${BOUNDARY}--\r\n`,
    '\r\n\r\n',
    '\r',
    '-',
    'Content-Disposition: form-data; name="prompt"\r\n',
    'filename="',
    "filename*=utf-8''%",
    '"',
    '\\',
  ],
  async open() {
    return {
      async check(input) {
        checkChunks(read, input);
      },
      async close() {},
    };
  },
};

/** Returns the parts, or the code of the error, as text. */
function read(input: Input): string {
  const reader = createPartReader(BOUNDARY);
  try {
    let received = 0;
    for (const { length } of chunksOf(input)) {
      received += length;
      withinStretch(() => reader.read(input.bytes.subarray(0, received)));
    }
    const parts = withinStretch(() => reader.finish(input.bytes));
    return JSON.stringify(
      parts.map(({ head, content }) => [head, content.toString('latin1')]),
    ).slice(0, 100_000);
  } catch (error) {
    if (error instanceof BridgeError) return error.code;
    throw error;
  }
}
