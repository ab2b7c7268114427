import { BFL_UPSTREAM } from '../../support/task-upstream/services/bfl.ts';
import { createTaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { reportPort } from './measured-server.ts';

// The emulator of a service with tasks in a process of its own, so that its cost is not counted as that of the bridge.
const upstream = await createTaskUpstream({ service: BFL_UPSTREAM });
upstream.forPrompt('quick', { waits: 0 });
upstream.forPrompt('endless', { waits: Number.POSITIVE_INFINITY });
reportPort(Number(new URL(upstream.url).port));
