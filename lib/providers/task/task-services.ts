import type { Config } from '../../config/settings/settings.ts';
import { BFL } from './services/bfl.ts';
import { FAL } from './services/fal.ts';
import { RELAY } from './services/relay.ts';
import { REPLICATE } from './services/replicate.ts';
import type { TaskService } from './task-service.ts';

/** The settings of one account. */
export type TaskSettings = Config['providers']['task'][string];

/** The services by their name in the settings. */
export const TASK_SERVICES: Readonly<Record<TaskSettings['service'], TaskService>> = {
  fal: FAL,
  replicate: REPLICATE,
  bfl: BFL,
  relay: RELAY,
};
