import type { PastWindow } from '#demo/past/window.ts';
import type { DemoPlaces } from '#server/demo/past/places.ts';
import type { Piece } from '#server/demo/past/store.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';

/** What the thread that draws the past is given at its start. */
export type PastThreadData = { places: DemoPlaces; vantages: Map<string, VantageLabels>; window: PastWindow };

/** What it is told to do; each order is answered with one message. */
export type PastOrder = { piece: Piece } | 'learn' | 'watch';
