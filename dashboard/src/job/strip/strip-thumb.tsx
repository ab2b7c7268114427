import { useImage } from '../../images/use-image.ts';
import { text } from '../../text/text.ts';
import { imageText } from '../state/image-text.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';

/** One image of the strip: pressed, it is shown. */
export function StripThumb({ image }: { readonly image: JobImage }) {
  const { looking, press } = useLook();
  const loaded = useImage(`${image.path}/thumbnail?edge=256`);
  const isA = looking.a === image;
  const isB = looking.b === image && looking.view !== 'grid';
  const side = isA ? 'A' : looking.a !== undefined && isB ? 'B' : undefined;
  const name = imageText(image);
  return (
    <button
      type="button"
      class={image.format === 'jpeg' ? 'strip-thumb' : 'strip-thumb on-pattern'}
      aria-pressed={isA || isB}
      aria-label={side ? text('job.onSide', { side, image: name }) : name}
      title={name}
      onClick={() => press(image)}
    >
      {loaded.state === 'ready' && <img src={loaded.url} alt="" decoding="async" />}
      {side && <span class="side">{side}</span>}
    </button>
  );
}
