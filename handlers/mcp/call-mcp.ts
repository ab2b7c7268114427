import { MCP_REFUSALS, McpMessage } from '../../lib/contract/resources/mcp.ts';
import { operation } from '../operation.ts';

/** POST /mcp: serves the tools for agents. */
export const handler = operation<'mcp'>()({
  id: 'callMcp',
  summary: 'Send a Model Context Protocol message',
  protection: 'read',
  request: { body: McpMessage },
  reply: {
    status: 200,
    description:
      'The reply of the Model Context Protocol (Streamable HTTP): a message or a stream of messages. Errors have the format that the protocol defines. If a tool fails, its result contains the error.',
    mediaTypes: ['application/json', 'text/event-stream'],
    also: [
      { status: 202, description: 'A notification was accepted.' },
      MCP_REFUSALS.malformed,
      MCP_REFUSALS.unknown,
      MCP_REFUSALS.unacceptable,
    ],
  },
  errors: ['not_found'],
  handle: ({ event, context, body, services }) =>
    services.mcp.handle({ method: 'POST', headers: event.headers, body, context }),
});
