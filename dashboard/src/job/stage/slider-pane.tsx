import { useSignal } from '@preact/signals';
import type { Size } from '../../images/size.ts';
import { text } from '../../text/text.ts';
import { imageText } from '../state/image-text.ts';
import type { JobImage } from '../state/job-images.ts';
import { Divider } from './divider.tsx';
import { ImageBadge } from './image-badge.tsx';
import { ImageLayer } from './image-layer.tsx';
import { Pane } from './pane.tsx';
import { StageZoomBar } from './stage-zoom-bar.tsx';
import { useLongest } from './use-longest.ts';
import { usePlace } from './use-place.ts';

interface Props {
  readonly a: JobImage;
  readonly b: JobImage;
}

/** Two images in one place, divided by a line that is moved: A before it, B behind it. */
export function SliderPane({ a, b }: Props) {
  const placeOf = usePlace();
  const longest = useLongest([a, b]);
  const share = useSignal(50);

  function reach(pane: Size) {
    const seen = [a, b].map((image) => placeOf(image, pane, longest).seen);
    const left = Math.min(...seen.map((rect) => rect.left));
    const right = Math.max(...seen.map((rect) => rect.left + rect.width));
    const top = Math.min(...seen.map((rect) => rect.top));
    const bottom = Math.max(...seen.map((rect) => rect.top + rect.height));
    return { left, top, width: right - left, height: bottom - top };
  }

  return (
    <Pane label={text('job.compared', { a: imageText(a), b: imageText(b) })}>
      {(pane) => {
        const place = reach(pane);
        const at = place.left + (place.width * share.value) / 100;
        const common = { pane, longest };
        return (
          <>
            <ImageLayer image={a} {...common} clip={`inset(0 ${pane.width - at}px 0 0)`} />
            <ImageLayer image={b} {...common} clip={`inset(0 0 0 ${at}px)`} />
            <ImageBadge image={a} side="a" {...common} />
            <ImageBadge image={b} side="b" {...common} />
            <Divider share={share} place={place} />
            <StageZoomBar image={b} {...common} />
          </>
        );
      }}
    </Pane>
  );
}
