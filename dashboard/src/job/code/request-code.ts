import type { Job } from '../../api/schemas.ts';
import { type StoredInput, storedInputs } from '../../jobs/stored-inputs.ts';
import { recallSettings } from '../../make/recall-settings.ts';

export const LANGUAGES = ['curl', 'javascript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The environment variable from which the code reads the token. The code never contains the token itself. */
export const TOKEN_VARIABLE = 'IMAGE_BRIDGE_TOKEN';

/** The data from which code is generated that sends the request of a job again. */
interface RequestCode {
  /** The address of the bridge, for example http://127.0.0.1:8787. */
  readonly bridge: string;
  readonly needsToken: boolean;
  readonly jobId: string;
  /** The settings of the request that differ from their defaults, without images and previews. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The input images, grouped by the request field that contains the images. */
  readonly fields: readonly InputField[];
}

interface InputField {
  readonly field: 'images' | 'mask' | 'reference_images';
  readonly inputs: readonly StoredInput[];
  readonly isList: boolean;
}

/** Collects the data from which the code is generated. */
export function toRequestCode(job: Job, bridge: string, needsToken: boolean): RequestCode {
  const stored = storedInputs(job);
  const of = (wanted: StoredInput['role']) => stored.filter(({ role }) => role === wanted);
  const fields = [
    { field: 'images', inputs: of('source'), isList: true },
    { field: 'mask', inputs: of('mask'), isList: false },
    { field: 'reference_images', inputs: of('reference'), isList: true },
  ] as const;
  return {
    bridge,
    needsToken,
    jobId: job.id,
    settings: { operation: job.request.operation, ...recallSettings(job.request) },
    fields: fields.filter(({ inputs }) => inputs.length > 0),
  };
}

/** Formats a value as JSON. Invisible characters are written as escapes, so that the user can see them. */
function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(UNSEEN, escapeCharacter);
}

/** Control characters, joiners and direction marks (Unicode categories Cc, Cf, Zl and Zp). */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Returns a command for a POSIX shell with curl. */
export function curlCode(code: RequestCode): string {
  const { fields } = code;
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
        : `  ${readCurlInput(code, piece)}`,
    ),
    `} | ${send[0] ?? ''}`,
    ...send.slice(1),
    '  --data-binary @-',
  ].join('\n');
}

/** Returns the body in pieces: JSON texts, and the inputs to insert between the texts as base64. */
function toPieces(code: RequestCode): readonly (string | StoredInput)[] {
  const pieces: (string | StoredInput)[] = [];
  let json = toJson(code.settings).replace(/\n\}$/, '');
  for (const { field, inputs, isList } of code.fields) {
    json += `,\n  "${field}": ${isList ? '[' : ''}`;
    for (const [at, input] of inputs.entries()) {
      const filename =
        input.filename === undefined ? '' : `"filename": ${toJson(input.filename)}, `;
      const comma = at === 0 ? '' : ', ';
      json += `${comma}{"type": "data_url", ${filename}"data_url": "data:${input.media_type};base64,`;
      pieces.push(json, input);
      json = '"}';
    }
    if (isList) json += ']';
  }
  return [...pieces, `${json}\n}`];
}

function readCurlInput(code: RequestCode, { index }: StoredInput): string {
  const url = shellQuote(`${code.bridge}/v1/jobs/${code.jobId}/inputs/${index}`);
  return ['curl -fsS', url, ...authorization(code), "| base64 | tr -d '\\n'"].join(' ');
}

function authorization({ needsToken }: RequestCode): readonly string[] {
  return needsToken ? [`-H "authorization: Bearer $${TOKEN_VARIABLE}"`] : [];
}

/** Quotes a text as one word of a POSIX shell. Inside single quotes, only the closing quote is special. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns an expression of the generated code that calls the function `call` for each input of a field. */
function readsOf(
  { inputs, isList }: InputField,
  call: string,
  toLiteral: (value: unknown) => string,
): string {
  const reads = inputs.map(({ index, media_type, filename }) => {
    const texts = [media_type, filename].filter((each) => each !== undefined);
    return `${call}(${[index, ...texts.map((text) => toLiteral(text))].join(', ')})`;
  });
  return isList ? `[${reads.join(', ')}]` : reads.join('');
}

/** Returns a JavaScript module for Node that needs no packages. */
export function javascriptCode(code: RequestCode): string {
  const { fields, jobId, needsToken } = code;
  const readInput = [
    '',
    'async function input(index, type, filename) {',
    `  const reply = await fetch(\`\${bridge}/v1/jobs/${jobId}/inputs/\${index}\`, { headers });`,
    '  if (!reply.ok) throw new Error(await reply.text());',
    "  const base64 = Buffer.from(await reply.arrayBuffer()).toString('base64');",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is the generated code
    "  return { type: 'data_url', data_url: `data:${type};base64,${base64}`, filename };",
    '}',
  ];
  return [
    `const bridge = ${toJson(code.bridge)};`,
    'const headers = {',
    "  'content-type': 'application/json',",
    ...(needsToken ? [`  authorization: \`Bearer \${process.env.${TOKEN_VARIABLE}}\`,`] : []),
    '};',
    ...(fields.length === 0 ? [] : readInput),
    '',
    `const request = ${toLiteral(code.settings)};`,
    ...fields.map((field) => `request.${field.field} = ${readsOf(field, 'await input', toJson)};`),
    '',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is the generated code
    'const reply = await fetch(`${bridge}/v1/jobs`, {',
    "  method: 'POST',",
    '  headers,',
    '  body: JSON.stringify(request),',
    '});',
    'console.log(await reply.json());',
  ].join('\n');
}

/** Formats a value as a JavaScript literal. The name `__proto__` becomes a computed name and sets no prototype. */
function toLiteral(value: unknown): string {
  return toJson(value).replace(/^(\s*)"__proto__":/gm, '$1["__proto__"]:');
}

/** Returns a script for Python 3 that uses only the standard library. */
export function pythonCode(code: RequestCode): string {
  const { fields, jobId, needsToken } = code;
  const modules = [
    ...(fields.length === 0 ? [] : ['base64']),
    'json',
    ...(needsToken ? ['os'] : []),
  ];
  const readInput = [
    '',
    '',
    'def stored(index, media_type, filename=None):',
    `    url = f"{bridge}/v1/jobs/${jobId}/inputs/{index}"`,
    '    with urlopen(Request(url, headers=headers)) as reply:',
    '        data = base64.b64encode(reply.read()).decode()',
    '    image = {"type": "data_url", "data_url": f"data:{media_type};base64,{data}"}',
    '    return image if filename is None else {**image, "filename": filename}',
    '',
    '',
  ];
  return [
    `import ${modules.join(', ')}`,
    'from urllib.request import Request, urlopen',
    '',
    `bridge = ${toPython(code.bridge)}`,
    'headers = {',
    '    "content-type": "application/json",',
    ...(needsToken ? [`    "authorization": "Bearer " + os.environ["${TOKEN_VARIABLE}"],`] : []),
    '}',
    ...(fields.length === 0 ? [] : readInput),
    `request = ${toPython(code.settings)}`,
    ...fields.map((field) => `request["${field.field}"] = ${readsOf(field, 'stored', toPython)}`),
    '',
    'body = json.dumps(request).encode()',
    'with urlopen(Request(bridge + "/v1/jobs", body, headers)) as reply:',
    '    print(json.load(reply))',
  ].join('\n');
}

/** Formats a value as a Python expression. Python strings support every escape that JSON has. */
function toPython(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value))
    return wrap(
      '[',
      value.map((each) => toPython(each, inner)),
      ']',
      indent,
    );
  if (typeof value !== 'object') return toJson(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${toJson(name)}: ${toPython(each, inner)}`,
  );
  return wrap('{', members, '}', indent);
}

function wrap(open: string, parts: readonly string[], close: string, indent: string): string {
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${indent}    ${part},\n`).join('')}${indent}${close}`;
}
