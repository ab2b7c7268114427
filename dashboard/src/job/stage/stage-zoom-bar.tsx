import { ArrowLeftRight } from 'lucide';
import { Icon } from '../../controls/icon.tsx';
import type { Size } from '../../images/size.ts';
import { formatNumber, text } from '../../text/text.ts';
import { ZoomBar, ZoomButton } from '../../zoom/zoom-bar.tsx';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { usePlace } from './use-place.ts';

interface Props {
  /** The image on which it lies. */
  readonly image: JobImage;
  readonly pane: Size;
  readonly longest: number;
}

const INSET_PX = 12;
const MIN_PX = 220;

/** The zoom of the stage; and which of two images stands on which side. */
export function StageZoomBar({ image, pane, longest }: Props) {
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
  const times = formatNumber(Math.round(k * 10) / 10);
  return (
    <ZoomBar
      zoom={zoom}
      isWhole={k <= 1}
      value={k > 1 ? text('zoom.times', { times }) : text('zoom.fit')}
      style={style}
    >
      {looking.a && (
        <ZoomButton label={text('job.swap')} onPress={swap}>
          <Icon of={ArrowLeftRight} />
        </ZoomButton>
      )}
    </ZoomBar>
  );
}
