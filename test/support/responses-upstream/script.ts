import { createScript, type Step as StepOf } from '../upstream/script.ts';
import type { Behaviour } from './behaviours/behaviour.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import type { Settings } from './settings.ts';

/** The behaviour of one call: a name, or a name with settings. */
export type Step = StepOf<BehaviourName, Settings>;

export type Script = ReturnType<typeof createResponsesScript>;

export function createResponsesScript(settings: Settings) {
  return createScript<BehaviourName, Behaviour, Settings>({
    behaviours: BEHAVIOURS,
    settings,
    promptField: 'input[0].content[0].text',
  });
}
