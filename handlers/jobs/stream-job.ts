import { JobPath } from '../../lib/contract/resources/job.ts';
import { JobEvent } from '../../lib/contract/resources/job-events.ts';
import { stream } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}/events: streams the events of one job until its end. Throws `not_found`, `rate_limited`. */
export const handler = operation<'jobStreams'>()({
  id: 'streamJob',
  summary: 'Follow a job to its end',
  protection: 'read',
  request: { path: JobPath },
  reply: {
    status: 200,
    description:
      'A stream of events. The first event is `snapshot`, and the last event is `ended`. Every connection begins with the current state of the job, so the header `Last-Event-ID` is not needed. A slow reader receives only the latest progress of each output.',
    events: JobEvent,
  },
  errors: ['not_found', 'rate_limited'],
  handle: async ({ path, context, services }) =>
    stream(await services.jobStreams.ofJob(path.id, context)),
});
