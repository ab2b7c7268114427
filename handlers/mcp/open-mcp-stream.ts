import { MCP_REFUSALS } from '../../lib/contract/resources/mcp.ts';
import { operation } from '../operation.ts';

/** GET /mcp: streams the messages of the bridge to a session that are not replies to requests. */
export const handler = operation<'mcp'>()({
  id: 'openMcpStream',
  summary: 'Listen to a Model Context Protocol session',
  protection: 'read',
  request: { ignoresQuery: true },
  reply: {
    status: 200,
    description: 'A stream of messages. Clients of the revision 2026-07-28 do not use this stream.',
    mediaTypes: ['text/event-stream'],
    also: [
      MCP_REFUSALS.malformed,
      MCP_REFUSALS.unknown,
      MCP_REFUSALS.unacceptable,
      MCP_REFUSALS.taken,
    ],
  },
  errors: ['not_found'],
  handle: ({ event, context, services }) =>
    services.mcp.handle({ method: 'GET', headers: event.headers, context }),
});
