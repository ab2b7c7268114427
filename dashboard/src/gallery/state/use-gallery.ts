import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { JobActions } from '../actions/job-actions.ts';
import type { GalleryState } from './gallery-state.ts';

export interface GalleryContextValue {
  readonly state: GalleryState;
  readonly actions: JobActions;
}

export const GalleryContext = createContext<GalleryContextValue | undefined>(undefined);

/** Returns the state of the gallery and its actions. Throws if called outside the gallery. */
export function useGallery(): GalleryContextValue {
  const value = useContext(GalleryContext);
  if (value === undefined) throw new Error('useGallery was called outside the gallery');
  return value;
}
