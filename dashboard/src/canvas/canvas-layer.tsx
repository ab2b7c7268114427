import { firstSource } from '../make/draft.ts';
import { usePage } from '../page-context.ts';
import { lazyView } from '../shell/lazy-view.tsx';

const CanvasEditor = lazyView(async () => (await import('./canvas-editor.tsx')).CanvasEditor);

/** Shows the canvas while its history entry is current. */
export function CanvasLayer() {
  const { router, draft } = usePage();
  const source = firstSource(draft.attachments.value);
  const { value: layer } = router.layer;
  if (layer === undefined || layer === 'make' || layer === 'queue') return null;
  return source && <CanvasEditor key={source.key} source={source} mode={layer} />;
}
