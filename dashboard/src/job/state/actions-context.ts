import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { JobActions } from '../actions/job-actions.ts';

export const ActionsContext = createContext<JobActions | undefined>(undefined);

/** What can be done to the job in view. Throws outside of a job. */
export function useJobActions(): JobActions {
  const actions = useContext(ActionsContext);
  if (actions === undefined) throw new Error('useJobActions is called outside of a job');
  return actions;
}
