import * as v from 'valibot';
import { isPlainObject } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';
import { coded, pathItem } from '../schema/issues.ts';
import { isLongerThan } from '../schema/text.ts';

// The texts are limited because the protocol library repeats ids, methods, names and URLs in its errors.
const MAX_TEXT_BYTES = 8192;

const AnyMessage = v.record(v.string(), v.unknown());

/**
 * One or several messages of JSON-RPC 2.0. This schema only limits the texts, because the protocol library checks the messages.
 * The arguments of a tool are not limited here, because they may contain images.
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

/**
 * Finds the first text that is too long. The recursion is bounded because the nesting depth of a body is limited. Returns undefined
 * if no text is too long.
 */
function firstLongText(value: object): Path | undefined {
  for (const [name, member] of Object.entries(value)) {
    // Numeric keys are shown in brackets. The cast is needed because valibot allows a numeric key only for an array.
    const item = pathItem((Array.isArray(value) ? Number(name) : name) as string);
    if (typeof member === 'string' && isLongerThan(member, MAX_TEXT_BYTES)) return [item];
    const rest = typeof member === 'object' && member !== null && firstLongText(member);
    if (rest) return [item, ...rest];
  }
  return undefined;
}

/** An error reply of the Model Context Protocol itself, not of a tool or of the bridge. */
export const McpRefusal = documented(
  v.strictObject({
    jsonrpc: v.literal('2.0'),
    error: v.strictObject({
      code: documented(
        v.pipe(v.number(), v.integer()),
        'An error code of JSON-RPC or of the Model Context Protocol.',
      ),
      message: v.string(),
      data: v.optional(v.record(v.string(), v.unknown())),
    }),
    id: documented(
      v.nullable(v.union([v.string(), v.number()])),
      'The id of the rejected message; null if the message has no id.',
    ),
  }),
  'An error of JSON-RPC 2.0.',
);

/** The error replies of the protocol. */
export const MCP_REFUSALS = {
  malformed: {
    status: 400,
    description: 'The body is not a valid message of the protocol or of this session.',
    body: McpRefusal,
  },
  unknown: {
    status: 404,
    description: 'The session or the method does not exist.',
    body: McpRefusal,
  },
  unacceptable: {
    status: 406,
    description: 'The header `accept` does not list the required media types.',
    body: McpRefusal,
  },
  taken: { status: 409, description: 'The session already has a stream.', body: McpRefusal },
} as const;
