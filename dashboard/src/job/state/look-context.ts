import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Size } from '../../images/size.ts';
import type { Zoom } from '../stage/zoom.ts';
import type { JobImage } from './job-images.ts';
import type { Looking } from './looking.ts';

/** What the stage shows, and how to change it. */
export interface Look {
  readonly images: readonly JobImage[];
  readonly looking: Looking;
  readonly zoom: Zoom;
  /** The sizes of images that only the browser knows, by their paths. */
  readonly measured: ReadonlySignal<ReadonlyMap<string, Size>>;
  measure(path: string, size: Size): void;
  press(image: JobImage): void;
  swap(): void;
}

export const LookContext = createContext<Look | undefined>(undefined);

/** What is looked at. Throws outside of a job. */
export function useLook(): Look {
  const look = useContext(LookContext);
  if (look === undefined) throw new Error('useLook is called outside of a job');
  return look;
}
