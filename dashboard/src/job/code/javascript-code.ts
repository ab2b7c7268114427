import { inputFields, type RequestCode, TOKEN_VARIABLE, toJson } from './request-code.ts';

/** A module for Node, which needs no package. */
export function javascriptCode(code: RequestCode): string {
  const fields = inputFields(code);
  return [
    `const bridge = ${toJson(code.bridge)};`,
    ...headers(code),
    ...(fields.length === 0 ? [] : ['', ...readInput(code)]),
    '',
    `const request = ${toLiteral(code.settings)};`,
    ...fields.map(({ field, inputs, isList }) => {
      const reads = inputs.map(
        ({ index, mediaType, filename }) =>
          `await input(${index}, ${toJson(mediaType)}${filename === undefined ? '' : `, ${toJson(filename)}`})`,
      );
      return `request.${field} = ${isList ? `[${reads.join(', ')}]` : reads.join('')};`;
    }),
    '',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is written
    'const reply = await fetch(`${bridge}/v1/jobs`, {',
    "  method: 'POST',",
    '  headers,',
    '  body: JSON.stringify(request),',
    '});',
    'console.log(await reply.json());',
  ].join('\n');
}

function headers({ needsToken }: RequestCode): readonly string[] {
  return [
    'const headers = {',
    "  'content-type': 'application/json',",
    ...(needsToken ? [`  authorization: \`Bearer \${process.env.${TOKEN_VARIABLE}}\`,`] : []),
    '};',
  ];
}

function readInput({ jobId }: RequestCode): readonly string[] {
  return [
    'async function input(index, type, filename) {',
    `  const reply = await fetch(\`\${bridge}/v1/jobs/${jobId}/inputs/\${index}\`, { headers });`,
    '  if (!reply.ok) throw new Error(await reply.text());',
    "  const base64 = Buffer.from(await reply.arrayBuffer()).toString('base64');",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is written
    "  return { type: 'data_url', data_url: `data:${type};base64,${base64}`, filename };",
    '}',
  ];
}

/** JSON is an expression of JavaScript but for one name, which would set the prototype. */
function toLiteral(value: unknown): string {
  return toJson(value).replace(/^(\s*)"__proto__":/gm, '$1["__proto__"]:');
}
