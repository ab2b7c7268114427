import { createScope } from '../../page-context.ts';
import type { JobActions } from '../actions/job-actions.ts';
import type { GalleryState } from './gallery-state.ts';

/** Provides the state of the gallery and its actions. */
export const [GalleryProvider, useGallery] = createScope<{
  readonly state: GalleryState;
  readonly actions: JobActions;
}>('the gallery');
