import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ERRORS } from '../../lib/errors/codes.ts';
import { parseEventText } from './event-text.ts';

/** An operation, by its `operationId` or by the method and the path of a request. */
export type OperationRef = string | { readonly method: string; readonly path: string };

type Headers = Readonly<Record<string, string | undefined>>;
type Json = Readonly<Record<string, unknown>>;

interface Operation {
  /** Location in the document: `/paths/…/get`. */
  readonly pointer: readonly string[];
  readonly isHead: boolean;
}

/** The statuses of replies without an operation: no operation matched, or the request failed before. */
const UNMATCHED_STATUSES = new Set<number>(Object.values(ERRORS).map((row) => row.status));

/**
 * Checks replies against an OpenAPI document. `check` throws an error that lists all violations. `checkComponent` checks a
 * value that is not a whole body, such as the data of one event.
 */
export function createReplyChecker(document: Json) {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  // The types of the package declare its default export as the module.
  addFormats.default(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema(document, 'document');

  function problemsAt(pointer: readonly string[], value: unknown): string[] {
    const validate = ajv.getSchema(`document#/${pointer.map(escaped).join('/')}`);
    if (!validate) return [`the document has no schema at ${pointer.join(' ')}`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || '(body)'} ${message} ${JSON.stringify(params)}`,
    );
  }

  function headerProblems(reply: Pointed, headers: Headers): string[] {
    return Object.entries(asJson(reply.value['headers'])).flatMap(([name, given]) => {
      const header = resolved(document, given, [...reply.pointer, 'headers', name]);
      const value = headers[name];
      if (value === undefined) {
        return header.value['required'] === true ? [`the header ${name} is missing`] : [];
      }
      const isNumber = asJson(header.value['schema'])['type'] === 'integer';
      return problemsAt([...header.pointer, 'schema'], isNumber ? Number(value) : value).map(
        (problem) => `header ${name}: ${problem}`,
      );
    });
  }

  function bodyProblems(reply: Pointed, headers: Headers, body: unknown): string[] {
    const content = asJson(reply.value['content']);
    if (Object.keys(content).length === 0) {
      return isEmpty(body) ? [] : ['a body where the document has none'];
    }
    const mediaType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (!Object.hasOwn(content, mediaType)) return [`the media type ${mediaType} is not listed`];
    const schema = [...reply.pointer, 'content', mediaType, 'schema'];
    if (mediaType === 'text/event-stream') return eventProblems(schema, toText(body));
    return mediaType === 'application/json' ? problemsAt(schema, toJson(body)) : [];
  }

  function eventProblems(schema: readonly string[], body: string): string[] {
    const [name = ''] = Object.keys(asJson(at(document, schema)['$defs']));
    const { events, rest } = parseEventText(body);
    return [
      ...events.flatMap(({ name: said, data }) => [
        ...problemsAt([...schema, '$defs', name], data),
        ...(data.type === said ? [] : [`the event ${said} says that it is ${data.type}`]),
      ]),
      ...(rest === '' ? [] : ['the last event is not complete']),
    ];
  }

  function problems(operation: OperationRef, status: number, headers: Headers, body: unknown) {
    const found = findOperation(document, operation);
    const isHead = found?.isHead ?? (typeof operation === 'object' && operation.method === 'HEAD');
    if (!found) {
      if (!UNMATCHED_STATUSES.has(status)) return [`no operation replies ${status} there`];
      const shape = isHead ? [] : problemsAt(['components', 'schemas', 'ErrorReply'], toJson(body));
      return [...shape, ...(headers['x-request-id'] ? [] : ['the header x-request-id is missing'])];
    }
    const replies = asJson(at(document, found.pointer)['responses']);
    const given = replies[String(status)];
    if (given === undefined) return [`the status ${status} is not listed`];
    const reply = resolved(document, given, [...found.pointer, 'responses', String(status)]);
    return [
      ...headerProblems(reply, headers),
      ...(isHead ? [] : bodyProblems(reply, headers, body)),
    ];
  }

  return {
    /** Body: parsed JSON, text or bytes. The names of the headers are in lower case. */
    check(operation: OperationRef, status: number, headers: Headers, body: unknown): void {
      const found = problems(operation, status, headers, body);
      const replyCount = isEmpty(body) ? undefined : asJson(toJson(body))['request_id'];
      if (replyCount !== undefined && replyCount !== headers['x-request-id']) {
        found.push('request_id is not the x-request-id header');
      }
      report(`${nameOf(operation)} ${status}`, found);
    },
    checkComponent(name: string, value: unknown): void {
      report(name, problemsAt(['components', 'schemas', name], value));
    },
  };
}

export type ReplyChecker = ReturnType<typeof createReplyChecker>;

interface Pointed {
  readonly value: Json;
  readonly pointer: readonly string[];
}

function report(subject: string, problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new Error(`${subject} is not as documented:\n  ${problems.join('\n  ')}`);
  }
}

function nameOf(operation: OperationRef): string {
  return typeof operation === 'string' ? operation : `${operation.method} ${operation.path}`;
}

function findOperation(document: Json, ref: OperationRef): Operation | undefined {
  for (const [path, item] of Object.entries(asJson(document['paths']))) {
    for (const [method, operation] of Object.entries(asJson(item))) {
      const pointer = ['paths', path, method];
      if (typeof ref === 'string') {
        if (asJson(operation)['operationId'] === ref) return { pointer, isHead: false };
        continue;
      }
      const isHead = ref.method === 'HEAD';
      const isSame = method === (isHead ? 'get' : ref.method.toLowerCase());
      if (isSame && matches(path, ref.path)) return { pointer, isHead };
    }
  }
  if (typeof ref === 'string') throw new Error(`the document has no operation ${ref}`);
  return undefined;
}

function matches(template: string, path: string): boolean {
  const expected = template.split('/');
  const actual = (path.split('?')[0] ?? '').split('/');
  return (
    expected.length === actual.length &&
    expected.every((part, index) => part.startsWith('{') || part === actual[index])
  );
}

/** Returns a part of the document after following its reference. */
function resolved(document: Json, part: unknown, pointer: readonly string[]): Pointed {
  const reference = asJson(part)['$ref'];
  if (typeof reference !== 'string') return { value: asJson(part), pointer };
  const target = reference.slice('#/'.length).split('/');
  return { value: at(document, target), pointer: target };
}

function at(document: Json, pointer: readonly string[]): Json {
  return pointer.reduce<Json>((part, key) => asJson(part[key]), document);
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === '' || (body instanceof Uint8Array && body.length === 0);
}

function toText(body: unknown): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : String(body);
}

function toJson(body: unknown): unknown {
  const text = body instanceof Uint8Array ? toText(body) : body;
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
