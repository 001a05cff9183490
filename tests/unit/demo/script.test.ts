import { describe, expect, it } from 'vitest';
import { lineBetween } from '#demo/places.ts';
import { congestionAt, deployBefore, nextDeploy, presentConditions } from '#demo/present/script.ts';

const MADE = Date.UTC(2026, 10, 21, 9, 30);
const minutes = (n: number) => MADE + n * 60_000;

describe("the demo's present", () => {
  it('congests one carrier after another for eight minutes an hour, the first after four minutes', () => {
    const carriers = [3.9, 8, 12.1, 68, 128, 188].map((minute) => congestionAt(MADE, minutes(minute))?.carrier ?? null);
    expect(carriers).toEqual([null, 'unicom', null, 'mobile', 'telecom', 'unicom']);
  });

  it('comes and goes within a minute', () => {
    const weights = [4, 4.5, 5, 11, 11.5, 12].map((minute) => congestionAt(MADE, minutes(minute))?.weight ?? 0);
    expect(weights).toEqual([0, 0.5, 1, 1, 0.5, 0]);
  });

  it('delays and loses on the congested carrier alone', () => {
    const conditions = presentConditions(MADE);
    const origin = { region: 'CN-SH', carrier: 'telecom' };
    const line = (carrier: string, at: number) => conditions({ region: 'CN-GD', carrier }, origin, at);
    const usual = (carrier: string) => lineBetween({ region: 'CN-GD', carrier }, origin, minutes(8));
    expect(line('mobile', minutes(8))).toEqual(usual('mobile'));
    expect(line('unicom', minutes(20))).toEqual(usual('unicom'));
    const { rttMs, loss } = line('unicom', minutes(8));
    expect(rttMs - usual('unicom').rttMs).toBeCloseTo(55);
    expect(loss - usual('unicom').loss).toBeCloseTo(0.02);
  });

  it('deploys an origin with a costly setting once a day and takes it back after twelve hours', () => {
    expect(deployBefore(MADE, minutes(14.9))).toBeNull();
    expect(deployBefore(MADE, minutes(15))).toEqual({ atMs: minutes(15), costly: true });
    expect(deployBefore(MADE, minutes(15 + 13 * 60))).toEqual({ atMs: minutes(15 + 12 * 60), costly: false });
    expect(deployBefore(MADE, minutes(20 + 24 * 60))).toEqual({ atMs: minutes(15 + 24 * 60), costly: true });
    expect(nextDeploy(MADE, minutes(0))).toEqual({ atMs: minutes(15), costly: true });
    expect(nextDeploy(MADE, minutes(15))).toEqual({ atMs: minutes(15 + 12 * 60), costly: false });
    expect(nextDeploy(MADE, minutes(15 + 12 * 60))).toEqual({ atMs: minutes(15 + 24 * 60), costly: true });
  });
});
