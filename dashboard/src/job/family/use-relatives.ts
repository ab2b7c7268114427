import { usePage } from '../../page-context.ts';
import { type JobImage, readRelative, relativeRef } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import type { Spot } from './family-tree.ts';

/** Returns the functions that show an image of the family, and compare two of its images. `id` is the job in view. */
export function useRelatives(id: string) {
  const { router } = usePage();
  const { looking } = useLook();
  const isComparing = looking.view === 'side' || looking.view === 'slider';

  /** Returns the name of an image in the address of the given job. */
  const refFor = (jobId: string, { place, number }: Spot) =>
    place === jobId ? String(number) : relativeRef(place, number);

  /** Returns the place of an image in view. An input has the place of the image that was sent. Other files have no place. */
  function spotOf(image: JobImage | undefined): Spot | undefined {
    if (image?.kind === 'output') return { place: id, number: image.number };
    const other = image?.origin ?? readRelative(image?.ref ?? null);
    return other && { place: other.id, number: other.number };
  }

  return {
    /** Opens an image. A comparison keeps its A. */
    open(spot: Spot): void {
      const a = spotOf(looking.a);
      const isSame = a?.place === spot.place && a.number === spot.number;
      const query = new URLSearchParams({ b: String(spot.number) });
      if (isComparing && a !== undefined && !isSame) {
        query.set('a', refFor(spot.place, a));
        query.set('view', looking.view);
      }
      if (spot.place === id && looking.a?.kind !== 'other') {
        router.setQuery({
          b: String(spot.number),
          ...(looking.view === 'grid' && { view: undefined }),
        });
      } else {
        // The history entry is replaced, so that one step back leaves the job view.
        router.navigate(`/jobs/${spot.place}?${query}`, { replace: true });
      }
    },

    /** Compares an image, as A, with the image in view. */
    markA(spot: Spot): void {
      const b = spotOf(looking.b);
      if (b === undefined || (b.place === spot.place && b.number === spot.number)) return;
      router.setQuery({
        a: refFor(id, spot),
        b: refFor(id, b),
        view: isComparing ? looking.view : 'slider',
      });
    },

    /** Returns the side of the comparison on which an image is, or `shown` for the only image in view. */
    sideOf(spot: Spot): 'A' | 'B' | 'shown' | undefined {
      const is = (image: JobImage | undefined) => {
        const other = spotOf(image);
        return other?.place === spot.place && other.number === spot.number;
      };
      if (looking.a !== undefined && is(looking.a)) return 'A';
      if (looking.view === 'grid' || !is(looking.b)) return undefined;
      return looking.a === undefined ? 'shown' : 'B';
    },
  };
}
