import * as v from 'valibot';
import { isPlainObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { coded } from '../schema/issues.ts';
import { isLongerThan } from '../schema/text.ts';

// The protocol's library repeats ids, methods, names and addresses in its errors.
const MAX_TEXT_BYTES = 8192;

const AnyMessage = v.record(v.string(), v.unknown());

/**
 * A message of JSON-RPC 2.0, or several. The protocol checks its form; here only its texts are limited, except for the
 * arguments of a tool, which may hold images and have schemas of their own.
 */
export const McpMessage = documented(
  v.pipe(
    v.union([AnyMessage, v.array(AnyMessage)]),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const path = Array.isArray(dataset.value)
        ? firstLongText(dataset.value.map(withoutArguments))
        : firstLongText(withoutArguments(dataset.value));
      if (!path) return;
      addIssue({ path, message: coded('invalid_length', TOO_LONG) });
    }),
  ),
  'A message of the Model Context Protocol.',
);

const TOO_LONG = `must be at most ${MAX_TEXT_BYTES} bytes long`;

type Path = [v.ObjectPathItem, ...v.ObjectPathItem[]];

function withoutArguments(message: Readonly<Record<string, unknown>>): object {
  const { params } = message;
  return isPlainObject(params) ? { ...message, params: { ...params, arguments: null } } : message;
}

/** The body has a limit of depth and of parts, so this search has one too. */
function firstLongText(value: object): Path | undefined {
  for (const [name, member] of Object.entries(value)) {
    const item = toItem(name, Array.isArray(value));
    if (typeof member === 'string' && isLongerThan(member, MAX_TEXT_BYTES)) return [item];
    const rest = typeof member === 'object' && member !== null && firstLongText(member);
    if (rest) return [item, ...rest];
  }
  return undefined;
}

function toItem(name: string, isIndex: boolean): v.ObjectPathItem {
  // An index is shown in brackets; for valibot's types only an array has them.
  const key = (isIndex ? Number(name) : name) as string;
  return { type: 'object', origin: 'value', input: {}, key, value: undefined };
}

/** How the Model Context Protocol refuses a request, where no tool and no error of the bridge is concerned. */
export const McpRefusal = documented(
  v.strictObject({
    jsonrpc: v.literal('2.0'),
    error: v.strictObject({
      code: documented(v.pipe(v.number(), v.integer()), 'A code of JSON-RPC or of the protocol.'),
      message: v.string(),
      data: v.optional(v.record(v.string(), v.unknown())),
    }),
    id: documented(
      v.nullable(v.union([v.string(), v.number()])),
      'That of the refused message; null where it has none.',
    ),
  }),
  'An error of JSON-RPC 2.0.',
);

/** The refusals of the protocol by their status, for the operations that reply with them. */
export const MCP_REFUSALS = {
  malformed: {
    status: 400,
    description: 'Not a message of the protocol, or not one for this session.',
    body: McpRefusal,
  },
  unknown: { status: 404, description: 'No such session, or no such method.', body: McpRefusal },
  unacceptable: {
    status: 406,
    description: '`accept` lacks what the reply may be.',
    body: McpRefusal,
  },
  taken: { status: 409, description: 'The session has a stream already.', body: McpRefusal },
} as const;
