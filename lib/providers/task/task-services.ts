import type { Config } from '../../config/settings/settings.ts';
import { BFL } from './services/bfl.ts';
import { RELAY } from './services/relay.ts';
import type { TaskService } from './task-service.ts';

/** The settings of one account. */
export type TaskSettings = Config['providers']['task'][string];

/** The services by their name in the settings. */
export const TASK_SERVICES: Readonly<Record<TaskSettings['service'], TaskService>> = {
  bfl: BFL,
  relay: RELAY,
};
