import { createScope } from '../../page-context.ts';
import type { JobActions } from '../actions/job-actions.ts';
import type { SelectionActions } from '../actions/selection-actions.ts';
import type { GalleryState } from './gallery-state.ts';

/** Provides the state of the gallery, the actions on given jobs, and the actions on the selected jobs. */
export const [GalleryProvider, useGallery] = createScope<{
  readonly state: GalleryState;
  readonly actions: JobActions;
  readonly selected: SelectionActions;
}>('the gallery');
