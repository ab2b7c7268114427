import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { effectOf } from '../../../lib/errors/call-effect.ts';
import type { TaskService } from '../../../lib/providers/task/task-service.ts';
import type { TaskSettings } from '../../../lib/providers/task/task-services.ts';
import { agentRequest } from '../../lib/providers/agent-responses/requests.ts';
import { openTaskRig } from '../task-rig.ts';
import type { Behaviour } from './behaviour.ts';
import type { EmulatedService } from './emulated-service.ts';
import { createTaskUpstream } from './task-upstream.ts';

interface Cuts {
  readonly service: TaskService;
  readonly emulated: EmulatedService;
  readonly calls: number;
  readonly settings?: Partial<TaskSettings>;
}

/** The ways in which a submission can end without a reply that tells its outcome. */
export const FAULTS = [
  'cut',
  'made_cut',
  'made_cut_in_reply',
  'html_502',
  'made_html_502',
  'made_html_200',
] as const satisfies readonly Behaviour['submission'][];

/**
 * Runs calls whose submissions are cut at different places. Resolves with the number of prompts that were submitted twice,
 * and of calls whose effect is not `unknown`.
 */
export async function runCuts({ service, emulated, calls, settings }: Cuts) {
  const upstream = await createTaskUpstream({ service: emulated });
  const own = { base_url: upstream.url, models: [emulated.model], image_model: emulated.model };
  const rig = openTaskRig({ service, settings: { ...own, ...settings } });
  let known = 0;
  for (let number = 0; number < calls; number += 1) {
    upstream.next({ submission: FAULTS[number % FAULTS.length] ?? 'cut' });
    const request = agentRequest({ model: emulated.model, prompt: `Call ${number}` });
    const error = await rig.run(request).ended;
    if (!(error instanceof BridgeError) || effectOf(error) !== 'unknown') known += 1;
  }
  await rig.close();
  const prompts = upstream.orders().map(({ prompt }) => prompt);
  const doubled = prompts.length - new Set(prompts).size;
  const { length: sent } = prompts;
  const violations = upstream.violations();
  await upstream.close();
  return { sent, doubled, known, violations };
}
