const struct prefix_image *prefix_find_image(int cc)
{
    const struct prefix_image *best = 0;
    for (int i = 0; i < prefix_image_count; i++) {
        const struct prefix_image *image = &prefix_images[i];
        if (image->cc <= cc && (image->is_ptx ? !best : image->cc / 10 == cc / 10))
            best = image;
    }
    return best;
}
