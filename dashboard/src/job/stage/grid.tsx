import { useRef } from 'preact/hooks';
import { thumbnailPath } from '../../gallery/layout/thumbnail-path.ts';
import { useSteadyImage } from '../../images/use-image.ts';
import { text } from '../../text/text.ts';
import { imageText } from '../state/image-text.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { columnsFor, fitInto, longestShown } from './geometry.ts';
import { LostImage } from './lost-image.tsx';
import { useBox } from './use-box.ts';
import './grid.css';

const GAP_PX = 8;

/** All that a job has made, as large as they fit together. One is pressed to be seen alone. */
export function Grid() {
  const { images, press } = useLook();
  const element = useRef<HTMLUListElement>(null);
  const box = useBox(element);
  const outputs = images.filter(({ kind }) => kind === 'output');
  const { width = 1, height = 1 } = outputs[0]?.size ?? {};
  const columns = box ? columnsFor(outputs.length, width / height, box) : 1;
  const rows = Math.ceil(outputs.length / columns);
  const cell = box && {
    width: (box.width - GAP_PX * (columns - 1)) / columns,
    height: (box.height - GAP_PX * (rows - 1)) / rows,
  };
  return (
    <ul class="grid" ref={element} style={{ gridTemplateColumns: `repeat(${columns}, auto)` }}>
      {cell &&
        outputs.map((image) => (
          <li key={image.ref}>
            <Cell image={image} cell={cell} onPress={() => press(image)} />
          </li>
        ))}
    </ul>
  );
}

interface CellProps {
  readonly image: JobImage;
  readonly cell: { readonly width: number; readonly height: number };
  readonly onPress: () => void;
}

function Cell({ image, cell, onPress }: CellProps) {
  const size = image.size ?? { width: 1, height: 1 };
  const { width, height } = fitInto(size, cell, longestShown([size]));
  const loaded = useSteadyImage(
    thumbnailPath(image.path.slice('/v1/artifacts/'.length), width, height, devicePixelRatio),
  );
  const shape = { inlineSize: `${width}px`, blockSize: `${height}px` };
  return (
    <button
      type="button"
      class={image.format === 'jpeg' ? 'cell' : 'cell on-pattern'}
      style={shape}
      aria-label={text('job.show', { image: imageText(image) })}
      onClick={onPress}
    >
      {loaded.state === 'ready' && <img src={loaded.url} alt="" decoding="async" />}
      {loaded.state === 'failed' && <LostImage error={loaded.error} size={{ width, height }} />}
      <span class="number num">{image.number}</span>
    </button>
  );
}
