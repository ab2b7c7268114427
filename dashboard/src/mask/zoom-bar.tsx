import type { ReadonlySignal } from '@preact/signals';
import { Minus, Plus } from 'lucide';
import { Icon } from '../controls/icon.tsx';
import { text } from '../text/text.ts';
import type { Painting } from './painting.ts';
import type { View } from './stage-view.ts';
import type { StageZoom } from './stage-zoom.ts';
import './zoom-bar.css';

interface Props {
  readonly zoom: StageZoom;
  readonly view: ReadonlySignal<View>;
  readonly painting: Painting;
}

/** How large the source's pixels are shown. */
export function ZoomBar({ zoom, view, painting }: Props) {
  const percent = Math.round(view.value.scale * painting.scale * 100);
  const isWhole = zoom.transform.value.k <= 1;
  return (
    <div class="mask-zoom-bar">
      <button
        type="button"
        aria-label={text('mask.zoom.farther')}
        disabled={isWhole}
        onClick={zoom.farther}
      >
        <Icon of={Minus} />
      </button>
      <button
        type="button"
        class="num"
        aria-label={text('mask.zoom.fit', { percent })}
        title={text('mask.zoom.fit', { percent })}
        onClick={zoom.fit}
      >
        {text('mask.zoom', { percent })}
      </button>
      <button type="button" aria-label={text('mask.zoom.nearer')} onClick={zoom.nearer}>
        <Icon of={Plus} />
      </button>
    </div>
  );
}
