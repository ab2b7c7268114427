import * as v from 'valibot';
import { documented } from '../schema/documented.ts';

/** A message of JSON-RPC 2.0, or several; the protocol checks it. */
export const McpMessage = documented(
  v.union([v.record(v.string(), v.unknown()), v.array(v.record(v.string(), v.unknown()))]),
  'A message of the Model Context Protocol.',
);

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
