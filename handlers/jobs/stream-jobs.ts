import {
  JobFeedEvent,
  JobFeedQuery,
  LastEventIdHeaders,
} from '../../lib/contract/resources/job-events.ts';
import { stream } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/events: streams changes of the caller's jobs. Throws `invalid_request`, `rate_limited`. */
export const handler = operation<'jobStreams'>()({
  id: 'streamJobs',
  summary: 'Follow the changes of all jobs',
  protection: 'read',
  request: { headers: LastEventIdHeaders, query: JobFeedQuery },
  reply: {
    status: 200,
    description:
      'A stream of jobs. First an id without an event, then all active jobs, then every job that changes. Each job is sent in its current state. A reader that sends the last id in the header `Last-Event-ID` receives the jobs that have changed since then, also after a restart of the bridge. A slow reader receives a job only once for several changes. With `queue=true`, the queue follows the active jobs, and is sent again whenever it has changed, at most once a second.',
    events: JobFeedEvent,
  },
  errors: ['rate_limited'],
  handle: async ({ headers, query, context, services }) => {
    const options = { lastEventId: headers['last-event-id'], withQueue: query.queue };
    return stream(await services.jobStreams.ofScope(context, options));
  },
});
