import { DashboardHeaders } from '../../lib/contract/resources/dashboard.ts';
import { PAGE_FILE, pageReply } from '../../lib/http/reply/page-reply.ts';
import { operation } from '../operation.ts';

/** GET /dashboard: returns the page. The page itself contains no content, and loads the content from the API. */
export const handler = operation<'dashboard'>()({
  id: 'getDashboard',
  summary: 'Open the dashboard',
  protection: 'public',
  request: { headers: DashboardHeaders },
  reply: {
    ...PAGE_FILE,
    description: 'The page, which contains no prompts, images or tokens.',
    mediaTypes: ['text/html'],
  },
  errors: ['not_found'],
  handle: async ({ event, services }) => pageReply(event.headers, await services.dashboard.page()),
});
