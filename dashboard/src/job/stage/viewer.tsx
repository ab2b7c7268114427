import { imageText } from '../state/image-text.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { ImageBadge } from './image-badge.tsx';
import { ImageLayer } from './image-layer.tsx';
import { Pane } from './pane.tsx';
import { SliderPane } from './slider-pane.tsx';
import { StageZoomBar } from './stage-zoom-bar.tsx';
import { useLongest } from './use-longest.ts';
import './viewer.css';

/** One image, or two to compare. */
export function Viewer() {
  const { looking } = useLook();
  const { view, a, b } = looking;
  if (b === undefined) return null;
  const { width, height } = b.size ?? { width: 1, height: 1 };
  const ratio = (view === 'side' ? 2 : 1) * (width / height);
  return (
    <div class={view === 'side' ? 'viewer two' : 'viewer'} style={{ '--ratio': `${ratio}` }}>
      {a === undefined ? (
        <ImagePane image={b} beside={[b]} />
      ) : view === 'slider' ? (
        <SliderPane a={a} b={b} />
      ) : (
        <>
          <ImagePane image={a} beside={[a, b]} side="a" />
          <ImagePane image={b} beside={[a, b]} side="b" />
        </>
      )}
    </div>
  );
}

interface Props {
  readonly image: JobImage;
  /** All that are shown: they are enlarged alike. */
  readonly beside: readonly JobImage[];
  readonly side?: 'a' | 'b';
}

function ImagePane({ image, beside, side }: Props) {
  const longest = useLongest(beside);
  return (
    <Pane label={imageText(image)}>
      {(box) => (
        <>
          <ImageLayer image={image} pane={box} longest={longest} />
          {side !== 'a' && <StageZoomBar image={image} pane={box} longest={longest} />}
          {side && <ImageBadge image={image} side={side} pane={box} longest={longest} />}
        </>
      )}
    </Pane>
  );
}
