import { DashboardHeaders, DashboardViewPath } from '../../lib/contract/resources/dashboard.ts';
import { pageReply } from '../../lib/http/reply/page-reply.ts';
import { operation } from '../operation.ts';

/** GET /dashboard/{view}: returns the same page for every view. The page reads the view from its URL. */
export const handler = operation<'dashboard'>()({
  id: 'getDashboardView',
  summary: 'Open a view of the dashboard',
  protection: 'public',
  request: { path: DashboardViewPath, headers: DashboardHeaders },
  reply: {
    status: 200,
    description: 'The page, the same for every view.',
    mediaTypes: ['text/html'],
    headers: { etag: 'An identifier of the bytes.' },
    also: [{ status: 304, description: 'The cached copy of the client is current.' }],
  },
  errors: ['not_found'],
  handle: async ({ path, event, services }) =>
    pageReply(event.headers, await services.dashboard.view(path.view)),
});
