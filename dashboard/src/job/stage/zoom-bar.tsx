import { ArrowLeftRight, Minus, Plus } from 'lucide';
import { Icon } from '../../controls/icon.tsx';
import { formatNumber, text } from '../../text/text.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import type { Size } from './geometry.ts';
import { usePlace } from './use-place.ts';
import './zoom-bar.css';

interface Props {
  /** The image on which it lies. */
  readonly image: JobImage;
  readonly pane: Size;
  readonly longest: number;
}

const INSET_PX = 12;
const MIN_PX = 220;

/** Nearer, farther, whole; and which of two stands on which side. */
export function ZoomBar({ image, pane, longest }: Props) {
  const { zoom, looking, swap } = useLook();
  const { seen } = usePlace()(image, pane, longest);
  // In the corner of the image; of one that is small, in the corner of the pane.
  const isSmall = seen.width < MIN_PX || seen.height < MIN_PX;
  const corner = isSmall ? { left: 0, top: 0, ...pane } : seen;
  const style = {
    insetInlineEnd: `${pane.width - corner.left - corner.width + INSET_PX}px`,
    insetBlockEnd: `${pane.height - corner.top - corner.height + INSET_PX}px`,
  };
  const { k } = zoom.transform.value;
  const times = text('job.zoom.times', { times: formatNumber(Math.round(k * 10) / 10) });
  return (
    <div class="zoom-bar num" role="toolbar" aria-label={text('job.zoom')} style={style}>
      {looking.a && (
        <button type="button" aria-label={text('job.swap')} title={text('job.swap')} onClick={swap}>
          <Icon of={ArrowLeftRight} />
        </button>
      )}
      <button
        type="button"
        aria-label={text('job.zoom.out')}
        title={text('job.zoom.out')}
        disabled={k <= 1}
        onClick={zoom.farther}
      >
        <Icon of={Minus} />
      </button>
      <button
        type="button"
        class="whole"
        aria-label={k > 1 ? `${times}: ${text('job.zoom.fit')}` : text('job.zoom.fit')}
        title={text('job.zoom.fit')}
        onClick={zoom.fit}
      >
        {k > 1 ? times : text('job.zoom.fit')}
      </button>
      <button
        type="button"
        aria-label={text('job.zoom.in')}
        title={text('job.zoom.in')}
        onClick={zoom.nearer}
      >
        <Icon of={Plus} />
      </button>
    </div>
  );
}
