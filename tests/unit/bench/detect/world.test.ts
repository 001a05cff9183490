import { describe, expect, it } from 'vitest';
import { drawPageWorld } from '../../../bench/detect/page-world.ts';
import { SAMPLE_HEADER, sampleRow } from '../../../bench/detect/sample-file.ts';
import { STYLES, type Style } from '../../../bench/detect/world/ranges.ts';
import { drawSeries, drawWorld } from '../../../bench/detect/world/world.ts';
import { words } from '../../../support/words.ts';

const drawAll = (style: Style, seed: number, count: number) =>
  drawWorld(style, seed, count).series.map((each) => drawSeries(each, seed));

describe('worlds', () => {
  it('are the same for the same seed and style, and others for others', () => {
    const world = JSON.stringify(drawAll('long-period', 3, 4));
    expect(JSON.stringify(drawAll('long-period', 3, 4))).toBe(world);
    expect(JSON.stringify(drawAll('long-period', 4, 4))).not.toBe(world);
    expect(JSON.stringify(drawAll('sparse', 3, 4))).not.toBe(world);
  });

  it('have as many series as asked for, of targets that share vantages, 3 to 21 days with 1 to 5 to warm up', () => {
    for (const style of STYLES) {
      for (let seed = 1; seed <= 20; seed++) {
        const { series } = drawWorld(style, seed, 12);
        const keys = series.map(({ model }) => `${model.target.name}/${model.region}/${model.carrier}`);
        expect(new Set(keys).size).toBe(12);
        expect(new Set(series.map(({ model }) => model.target.name)).size).toBeGreaterThan(1);
        for (const { span } of series) {
          const days = (span.to - span.from) / 86_400;
          const warmUp = (span.warmUpEnd - span.from) / 86_400;
          expect(days).toBeGreaterThan(2.99);
          expect(days).toBeLessThan(21.01);
          expect(warmUp).toBeGreaterThan(0.99);
          expect(warmUp).toBeLessThan(5.01);
        }
      }
    }
  });

  it('write rows in the format of a sample file, rising in time, within their span', () => {
    expect(SAMPLE_HEADER).toBe('timestamp,target,province,carrier,dns_ms,connect_ms,tls_ms,ttfb_ms,ok');
    const format = /^\d{10},t\d\.example,[A-Z][a-z]+,[a-z]+,\d+(\.\d{1,3})?(,\d+(\.\d{1,3})?){3},1$/;
    const failed = /^\d{10},t\d\.example,[A-Z][a-z]+,[a-z]+,\d+(\.\d{1,3})?,,,,0$/;
    for (const { label, samples } of drawAll('lossy', 12, 3)) {
      let last = label.from - 1;
      for (const sample of samples) {
        expect(sample.at).toBeGreaterThan(last);
        last = sample.at;
        expect(sampleRow(label, sample)).toMatch(sample.ok ? format : failed);
      }
      expect(last).toBeLessThan(label.to);
      expect(samples.filter((sample) => !sample.ok).length).toBeGreaterThan(0);
    }
  });

  it('keep lasting changes of a series at least 30 hours apart and spikes from overlapping', () => {
    for (let seed = 1; seed <= 30; seed++) {
      for (const { events } of drawWorld('bursty', seed, 12).series) {
        const spikes = events.filter(({ kind }) => kind === 'spike');
        for (const [index, spike] of spikes.entries()) expect(spike.start).toBeGreaterThan(spikes[index - 1]?.end ?? 0);
        const edges = events
          .filter(({ kind }) => kind === 'shift')
          .flatMap(({ start, end }) => [start, end])
          .filter(Number.isFinite)
          .sort((a, b) => a - b);
        for (const [index, edge] of edges.slice(1).entries())
          expect(edge - (edges[index] ?? 0)).toBeGreaterThan(7 * 3_600);
      }
    }
  });

  it('for pages have three targets at 93 vantages, with happenings of all causes, some inside others', () => {
    const names = new Set<string>();
    const causes = new Set<string | null>();
    for (const seed of [1, 2, 3, 4]) {
      const series = drawPageWorld(seed, 600);
      expect(new Set(series.map(({ model }) => `${model.region}/${model.carrier}`)).size).toBe(93);
      expect(new Set(series.map(({ model }) => model.target.name)).size).toBe(3);
      for (const { events, model } of series) {
        expect(model.target.periodSeconds).toBe(600);
        for (const { incident, cause } of events) {
          names.add(incident.split('-')[0] ?? '');
          causes.add(cause);
        }
      }
    }
    for (const name of words('busy stall congestion uplink region local release inner next prober odd'))
      expect(names, name).toContain(name);
    expect(causes).toEqual(new Set(['network', 'server', 'tls', null]));
  });

  it('hold every kind and cause somewhere, judged ones among them', () => {
    const labels = STYLES.filter((style) => style !== 'near').flatMap((style) =>
      drawWorld(style, 21, 30).series.flatMap(({ events }) => events),
    );
    expect(new Set(labels.map(({ kind }) => kind)).size).toBe(8);
    expect(new Set(labels.map(({ cause }) => cause))).toEqual(new Set([null, 'network', 'server', 'tls']));
    const judged = drawAll('sparse', 7, 30).flatMap(({ events }) => events.filter((event) => event.judged));
    expect(new Set(judged.map(({ kind }) => kind))).toEqual(new Set(['spike', 'regression', 'improvement']));
  });

  it('touch all series of a carrier, or of a target, by one happening', () => {
    const incidents = new Map<string, Set<string>>();
    for (const { model, events } of drawWorld('calm', 2, 30).series)
      for (const { incident, kind } of events)
        if (kind === 'spike' || kind === 'shift')
          incidents.set(incident, (incidents.get(incident) ?? new Set()).add(`${model.region}/${model.carrier}`));
    expect(Math.max(...[...incidents.values()].map((vantages) => vantages.size))).toBeGreaterThan(3);
  });
});
