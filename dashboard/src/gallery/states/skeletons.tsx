import { text } from '../../text/text.ts';
import { boxStyle, layoutRows } from '../layout/row-layout.ts';
import { useGallery } from '../state/use-gallery.ts';
import './skeletons.css';

/** Ratios of typical images. */
const RATIOS = [
  3 / 2,
  1,
  3 / 2,
  2 / 3,
  3 / 2,
  1,
  2 / 3,
  3 / 2,
  16 / 9,
  1,
  1,
  3 / 2,
  1,
  2 / 3,
  3 / 2,
  3 / 2,
];

/** Shows placeholders while the first page is loading. */
export function Skeletons() {
  const { state } = useGallery();
  const { value: frame } = state.frame;
  if (frame === undefined) return null;
  const shapes = RATIOS.map((ratio, index) => ({ id: String(index), ratio, day: 0 }));
  const { rows } = layoutRows(shapes, frame);
  return (
    <div class="skeletons" role="status">
      <span class="sr">{text('gallery.loading')}</span>
      {rows.flatMap(({ top, height, tiles }) =>
        tiles.map(({ id, left, width }) => (
          <i key={id} class="skeleton" style={boxStyle(left, top, width, height)} />
        )),
      )}
    </div>
  );
}
