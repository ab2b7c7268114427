import {
  ASSET_MEDIA_TYPES,
  DashboardAssetPath,
  DashboardHeaders,
} from '../../lib/contract/resources/dashboard.ts';
import { pageReply } from '../../lib/http/reply/page-reply.ts';
import { operation } from '../operation.ts';

/** GET /dashboard/assets/{name}: returns a file of the page. The name of a file changes with its content. */
export const handler = operation<'dashboard'>()({
  id: 'getDashboardAsset',
  summary: 'Download a file of the dashboard',
  protection: 'public',
  request: { path: DashboardAssetPath, headers: DashboardHeaders },
  reply: {
    status: 200,
    description: 'A script, a style sheet or an image of the page.',
    mediaTypes: Object.values(ASSET_MEDIA_TYPES),
    headers: { etag: 'An identifier of the bytes.' },
    also: [{ status: 304, description: 'The cached copy of the client is current.' }],
  },
  errors: ['not_found'],
  handle: async ({ path, event, services }) =>
    pageReply(event.headers, await services.dashboard.asset(path.name)),
});
