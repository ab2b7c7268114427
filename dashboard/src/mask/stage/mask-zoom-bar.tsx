import type { ReadonlySignal } from '@preact/signals';
import { text } from '../../text/text.ts';
import { ZoomBar } from '../../zoom/zoom-bar.tsx';
import type { Painting } from '../painting.ts';
import type { View } from './stage-view.ts';
import type { StageZoom } from './stage-zoom.ts';

interface Props {
  readonly zoom: StageZoom;
  readonly view: ReadonlySignal<View>;
  readonly painting: Painting;
}

const CORNER = { insetInlineEnd: '12px', insetBlockEnd: '12px' };

/** How large the source's pixels are shown. */
export function MaskZoomBar({ zoom, view, painting }: Props) {
  const percent = Math.round(view.value.scale * painting.scale * 100);
  return (
    <ZoomBar
      zoom={zoom}
      isWhole={zoom.transform.value.k <= 1}
      value={text('zoom.percent', { percent })}
      style={CORNER}
    />
  );
}
