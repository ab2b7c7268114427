import { inputFields, type RequestCode, TOKEN_VARIABLE, toJson } from './request-code.ts';

/** A script for Python 3, with its standard library alone. */
export function pythonCode(code: RequestCode): string {
  const fields = inputFields(code);
  const modules = [
    ...(fields.length === 0 ? [] : ['base64']),
    'json',
    ...(code.needsToken ? ['os'] : []),
  ];
  return [
    `import ${modules.join(', ')}`,
    'from urllib.request import Request, urlopen',
    '',
    `bridge = ${toPython(code.bridge)}`,
    ...headers(code),
    ...(fields.length === 0 ? [] : ['', '', ...readInput(code), '', '']),
    `request = ${toPython(code.settings)}`,
    ...fields.map(({ field, inputs, isList }) => {
      const reads = inputs.map(
        ({ index, mediaType, filename }) =>
          `stored(${index}, ${toPython(mediaType)}${filename === undefined ? '' : `, ${toPython(filename)}`})`,
      );
      return `request["${field}"] = ${isList ? `[${reads.join(', ')}]` : reads.join('')}`;
    }),
    '',
    'body = json.dumps(request).encode()',
    'with urlopen(Request(bridge + "/v1/jobs", body, headers)) as reply:',
    '    print(json.load(reply))',
  ].join('\n');
}

function headers({ needsToken }: RequestCode): readonly string[] {
  return [
    'headers = {',
    '    "content-type": "application/json",',
    ...(needsToken ? [`    "authorization": "Bearer " + os.environ["${TOKEN_VARIABLE}"],`] : []),
    '}',
  ];
}

function readInput({ jobId }: RequestCode): readonly string[] {
  return [
    'def stored(index, media_type, filename=None):',
    `    url = f"{bridge}/v1/jobs/${jobId}/inputs/{index}"`,
    '    with urlopen(Request(url, headers=headers)) as reply:',
    '        data = base64.b64encode(reply.read()).decode()',
    '    image = {"type": "data_url", "data_url": f"data:{media_type};base64,{data}"}',
    '    return image if filename is None else {**image, "filename": filename}',
  ];
}

/** A value as an expression of Python. Its strings know every escape that JSON has. */
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
