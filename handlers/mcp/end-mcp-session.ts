import { MCP_REFUSALS } from '../../lib/contract/resources/mcp.ts';
import { operation } from '../operation.ts';

/** DELETE /mcp: ends a session. The jobs of the session continue. */
export const handler = operation<'mcp'>()({
  id: 'endMcpSession',
  summary: 'End a Model Context Protocol session',
  protection: 'read',
  request: {},
  reply: {
    status: 200,
    description: 'The session has ended.',
    also: [MCP_REFUSALS.malformed, MCP_REFUSALS.unknown],
  },
  errors: ['not_found'],
  handle: ({ event, context, services }) =>
    services.mcp.handle({ method: 'DELETE', headers: event.headers, context }),
});
