import {
  type CodeInput,
  inputFields,
  type RequestCode,
  TOKEN_VARIABLE,
  toJson,
} from './request-code.ts';

/** A command for a POSIX shell with curl. */
export function curlCode(code: RequestCode): string {
  const fields = inputFields(code);
  const url = shellQuote(`${code.bridge}/v1/jobs`);
  const send = [
    `curl ${url} \\`,
    ...authorization(code).map((line) => `  ${line} \\`),
    "  -H 'content-type: application/json' \\",
  ];
  if (fields.length === 0) {
    return [...send, "  --data-binary @- <<'JSON'", toJson(code.settings), 'JSON'].join('\n');
  }
  return [
    '{',
    ...toPieces(code).map((piece) =>
      typeof piece === 'string'
        ? `  printf '%s' ${shellQuote(piece)}`
        : `  ${readInput(code, piece)}`,
    ),
    `} | ${send[0] ?? ''}`,
    ...send.slice(1),
    '  --data-binary @-',
  ].join('\n');
}

/** The body in pieces: JSON, and the inputs that go between them as base64. */
function toPieces(code: RequestCode): readonly (string | CodeInput)[] {
  const pieces: (string | CodeInput)[] = [toJson(code.settings).replace(/\n\}$/, '')];
  for (const { field, inputs, isList } of inputFields(code)) {
    pieces.push(`,\n  "${field}": ${isList ? '[' : ''}`);
    for (const [at, input] of inputs.entries()) {
      const filename =
        input.filename === undefined ? '' : `"filename": ${toJson(input.filename)}, `;
      const comma = at === 0 ? '' : ', ';
      const head = `${comma}{"type": "data_url", ${filename}"data_url": "data:${input.mediaType};base64,`;
      pieces.push(head, input, '"}');
    }
    if (isList) pieces.push(']');
  }
  return joinTexts([...pieces, '\n}']);
}

/** With texts that follow each other as one. */
function joinTexts(pieces: readonly (string | CodeInput)[]): readonly (string | CodeInput)[] {
  const joined: (string | CodeInput)[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + piece;
    else joined.push(piece);
  }
  return joined;
}

function readInput(code: RequestCode, { index }: CodeInput): string {
  const url = shellQuote(`${code.bridge}/v1/jobs/${code.jobId}/inputs/${index}`);
  return ['curl -fsS', url, ...authorization(code), "| base64 | tr -d '\\n'"].join(' ');
}

function authorization({ needsToken }: RequestCode): readonly string[] {
  return needsToken ? [`-H "authorization: Bearer $${TOKEN_VARIABLE}"`] : [];
}

/** One word of a POSIX shell: nothing is special between single quotes but their end. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
