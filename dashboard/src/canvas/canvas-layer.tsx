import { useEffect, useState } from 'preact/hooks';
import { type Attachment, firstSource } from '../make/draft.ts';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import type { CanvasEditor } from './canvas-editor.tsx';
import type { Mode } from './stage/canvas-stage.tsx';

/** Shows the canvas while its history entry is current. The code of the canvas is loaded on first use. */
export function CanvasLayer() {
  const { router, draft } = usePage();
  const source = firstSource(draft.attachments.value);
  const { value: layer } = router.layer;
  if (layer === undefined || layer === 'make' || layer === 'queue') return null;
  return source === undefined ? null : (
    <LoadedEditor key={source.key} source={source} mode={layer} />
  );
}

function LoadedEditor({ source, mode }: { readonly source: Attachment; readonly mode: Mode }) {
  const { router, toasts } = usePage();
  const [Editor, setEditor] = useState<typeof CanvasEditor>();
  useEffect(() => {
    import('./canvas-editor.tsx').then(
      (module) => setEditor(() => module.CanvasEditor),
      () => {
        toasts.show({
          kind: 'failed',
          text: text('app.outdated'),
          action: { label: text('app.reload'), run: () => location.reload() },
        });
        void router.back();
      },
    );
  }, [router, toasts]);
  return Editor === undefined ? null : <Editor source={source} mode={mode} />;
}
