import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { firstSource } from '../make/draft.ts';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import type { MaskEditorProps } from './mask-editor.tsx';

/**
 * Shows the mask editor while its history entry is current and the draft has a source. The code of the editor is loaded
 * when it is first opened.
 */
export function MaskLayer() {
  const { router, draft } = usePage();
  const source = firstSource(draft.attachments.value);
  if (router.layer.value !== 'mask' || source === undefined) return null;
  return <LoadedEditor key={source.key} source={source} />;
}

function LoadedEditor({ source }: MaskEditorProps) {
  const { router, toasts } = usePage();
  const [Editor, setEditor] = useState<ComponentType<MaskEditorProps>>();
  useEffect(() => {
    import('./mask-editor.tsx').then(
      ({ MaskEditor }) => setEditor(() => MaskEditor),
      () => {
        toasts.show({
          kind: 'failed',
          text: text('app.outdated'),
          action: { label: text('app.reload'), run: () => location.reload() },
        });
        router.back();
      },
    );
  }, [router, toasts]);
  return Editor === undefined ? null : <Editor source={source} />;
}
