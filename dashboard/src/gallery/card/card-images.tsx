import type { JobArtifact, JobSummary } from '../../api/schemas.ts';
import { useSteadyImage } from '../../images/use-image.ts';
import { text } from '../../text/text.ts';
import { thumbnailPath } from '../layout/thumbnail-path.ts';
import { LostImage } from './lost-image.tsx';
import './card-images.css';

interface Props {
  readonly job: JobSummary;
  readonly width: number;
  readonly height: number;
}

const MOST = 4;

/** The images of a job: one alone, several as a mosaic. */
export function CardImages({ job, width, height }: Props) {
  const { artifacts } = job;
  const count = artifacts.length;
  const rest = count - MOST;
  return (
    <div class={`card-images of-${Math.min(count, MOST)}`}>
      {artifacts.slice(0, MOST).map((artifact, index) => (
        <Thumbnail
          key={artifact.id}
          job={job}
          artifact={artifact}
          width={share(width, count, index)}
          height={height}
        />
      ))}
      {rest > 0 && <span class="rest num">{text('card.rest', { count: rest })}</span>}
    </div>
  );
}

/** The width that one image of a mosaic has; it is as high as its ratio makes it. */
function share(width: number, count: number, index: number): number {
  if (count === 1) return width;
  return count === 3 && index === 0 ? (width * 2) / 3 : width / 2;
}

function Thumbnail({ job, artifact, width, height }: Props & { readonly artifact: JobArtifact }) {
  const ratio = artifact.width / artifact.height;
  const isAlone = job.artifacts.length === 1;
  const edge = [width, isAlone ? height : Math.min(height, width / ratio)] as const;
  const image = useSteadyImage(thumbnailPath(artifact.id, ...edge, window.devicePixelRatio));
  if (image.state === 'failed') {
    return <LostImage error={image.error} prompt={isAlone ? job.prompt : undefined} />;
  }
  if (image.state === 'loading') return <i class="skeleton" />;
  // Only these can be transparent: the pattern behind them shows where they are.
  const isMaybeClear = artifact.format !== 'jpeg';
  return (
    <img
      class={isMaybeClear ? 'on-pattern' : ''}
      src={image.url}
      alt=""
      decoding="async"
      draggable={false}
    />
  );
}
